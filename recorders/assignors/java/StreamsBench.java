// Runs Kafka's own task assignors on problems in a file, one JSON object a line: those of Kafka Streams in a classic
// group (high-availability, sticky), and the group coordinator's for streams groups (coordinator-sticky), which is timed.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentConfigsImpl;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.MemberMetadataAndStateImpl;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultKafkaStreamsState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskTopicPartition;
import org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

public class StreamsBench {
    static final ObjectMapper JSON = new ObjectMapper();
    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    static final long WARM_UP_NANOS = 20_000_000_000L;

    static TreeSet<TaskId> tasks(JsonNode names) {
        TreeSet<TaskId> result = new TreeSet<>();
        for (JsonNode name : names) result.add(TaskId.parse(name.asText()));
        return result;
    }

    static Map<TaskId, Long> lags(JsonNode given) {
        Map<TaskId, Long> result = new TreeMap<>();
        given.fields().forEachRemaining(e -> result.put(TaskId.parse(e.getKey()), e.getValue().asLong()));
        return result;
    }

    static Map<String, String> strings(JsonNode given) {
        Map<String, String> result = new HashMap<>();
        given.fields().forEachRemaining(e -> result.put(e.getKey(), e.getValue().asText()));
        return result;
    }

    static AssignmentConfigs configs(JsonNode problem) {
        List<String> tags = new ArrayList<>();
        for (JsonNode tag : problem.get("tags")) tags.add(tag.asText());
        return new AssignmentConfigs(problem.get("acceptable_lag").asLong(), problem.get("warmups").asInt(),
            problem.get("standbys").asInt(), 600_000L, tags, OptionalInt.empty(), OptionalInt.empty(), "none");
    }

    static ArrayNode names(Set<TaskId> tasks) {
        ArrayNode result = JSON.createArrayNode();
        for (TaskId task : new TreeSet<>(tasks)) result.add(task.toString());
        return result;
    }

    static void highAvailability(JsonNode problem, ObjectNode answer) {
        Map<ProcessId, ClientState> clients = new HashMap<>();
        for (JsonNode c : problem.get("clients")) {
            ProcessId id = new ProcessId(UUID.fromString(c.get("id").asText()));
            clients.put(id, new ClientState(tasks(c.get("active")), tasks(c.get("standby")), lags(c.get("lags")),
                strings(c.get("tags")), c.get("threads").asInt(), id));
        }
        AssignmentConfigs configs = configs(problem);
        RackAwareTaskAssignor racks = new RackAwareTaskAssignor(
            Cluster.empty(), Map.of(), Map.of(), Map.of(), Map.of(), null, configs, Time.SYSTEM);
        boolean probing = new HighAvailabilityTaskAssignor().assign(
            clients, new HashSet<>(tasks(problem.get("tasks"))), new HashSet<>(tasks(problem.get("stateful"))), racks, configs);
        answer.put("probing", probing);
        ObjectNode by = answer.putObject("clients");
        clients.forEach((id, state) -> {
            ObjectNode mine = by.putObject(id.toString());
            mine.set("active", names(state.activeTasks()));
            mine.set("standby", names(state.standbyTasks()));
        });
    }

    // Kafka's own TaskInfo has no hash code, so that its order in a set is left to chance; this one has that of the task.
    record Info(TaskId id, boolean isStateful) implements TaskInfo {
        public Set<String> stateStoreNames() {
            return isStateful ? Set.of("store") : Set.of();
        }

        public Set<TaskTopicPartition> topicPartitions() {
            TopicPartition changelog = new TopicPartition("changelog-" + id.subtopology(), id.partition());
            return isStateful ? Set.of(new DefaultTaskTopicPartition(changelog, false, true, () -> { })) : Set.of();
        }

        public int hashCode() {
            return id.hashCode();
        }
    }

    static void sticky(JsonNode problem, ObjectNode answer) {
        Map<ProcessId, KafkaStreamsState> states = new HashMap<>();
        for (JsonNode c : problem.get("clients")) {
            ProcessId id = new ProcessId(UUID.fromString(c.get("id").asText()));
            states.put(id, new DefaultKafkaStreamsState(id, c.get("threads").asInt(), strings(c.get("tags")),
                tasks(c.get("active")), tasks(c.get("standby")), new TreeMap<>(), Optional.empty(), Optional.empty(), Optional.empty()));
        }
        Set<TaskId> stateful = tasks(problem.get("stateful"));
        Map<TaskId, TaskInfo> infos = new HashMap<>();
        for (TaskId task : tasks(problem.get("tasks"))) infos.put(task, new Info(task, stateful.contains(task)));
        AssignmentConfigs configs = configs(problem);
        ApplicationState state = new ApplicationState() {
            public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean lags) {
                return states;
            }

            public AssignmentConfigs assignmentConfigs() {
                return configs;
            }

            public Map<TaskId, TaskInfo> allTasks() {
                return infos;
            }
        };
        answer.put("probing", false);
        ObjectNode by = answer.putObject("clients");
        for (KafkaStreamsAssignment given : new StickyTaskAssignor().assign(state).assignment()) {
            ObjectNode mine = by.putObject(given.processId().toString());
            for (KafkaStreamsAssignment.AssignedTask.Type type : KafkaStreamsAssignment.AssignedTask.Type.values()) {
                Set<TaskId> some = new HashSet<>();
                given.tasks().values().stream().filter(t -> t.type() == type).forEach(t -> some.add(t.id()));
                mine.set(type.name().toLowerCase(), names(some));
            }
        }
    }

    static Map<String, Set<Integer>> numbers(JsonNode given) {
        Map<String, Set<Integer>> result = new HashMap<>();
        if (given != null) given.fields().forEachRemaining(e -> {
            Set<Integer> some = new HashSet<>();
            e.getValue().forEach(n -> some.add(n.asInt()));
            result.put(e.getKey(), some);
        });
        return result;
    }

    static void coordinator(JsonNode problem, ObjectNode answer) {
        Map<String, MemberMetadataAndStateImpl> members = new HashMap<>();
        for (JsonNode m : problem.get("members")) {
            members.put(m.get("id").asText(), new MemberMetadataAndStateImpl(Optional.empty(), Optional.empty(),
                m.get("process").asText(), Map.of(), numbers(m.get("active")), numbers(m.get("standby")), Map.of(), Map.of(), Map.of()));
        }
        GroupSpecImpl group = new GroupSpecImpl(
            members, new AssignmentConfigsImpl(problem.get("num_standby_replicas").asInt(), List.of()));
        JsonNode all = problem.get("subtopologies");
        List<String> subtopologies = new ArrayList<>();
        all.fieldNames().forEachRemaining(subtopologies::add);
        TopologyDescriber topology = new TopologyDescriber() {
            public List<String> subtopologies() {
                return subtopologies;
            }

            public int maxNumInputPartitions(String name) {
                return all.get(name).get("partitions").asInt();
            }

            public boolean isStateful(String name) {
                return all.get(name).get("stateful").asBoolean();
            }
        };
        int warmups = problem.get("warmups").asInt();
        long[] times = new long[problem.get("runs").asInt()];
        GroupAssignment given = null;
        long began = System.nanoTime();
        for (int i = -warmups; i < times.length; i++) {
            if (i > 5 - warmups && i < 0 && System.nanoTime() - began > WARM_UP_NANOS) i = 0;
            long start = CPU.getCurrentThreadCpuTime();
            given = new org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor().assign(group, topology);
            if (i >= 0) times[i] = CPU.getCurrentThreadCpuTime() - start;
        }
        Arrays.sort(times);
        answer.put("nanos", times[times.length / 2]);
        ObjectNode by = answer.putObject("members");
        given.members().forEach((member, mine) -> {
            Map<String, Object> both = new LinkedHashMap<>();
            both.put("active", sorted(mine.activeTasks()));
            both.put("standby", sorted(mine.standbyTasks()));
            by.set(member, JSON.valueToTree(both));
        });
    }

    static SortedMap<String, Set<Integer>> sorted(Map<String, Set<Integer>> given) {
        SortedMap<String, Set<Integer>> result = new TreeMap<>();
        given.forEach((name, some) -> result.put(name, new TreeSet<>(some)));
        return result;
    }

    public static void main(String[] args) throws Exception {
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(args[1]))) {
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                JsonNode problem = JSON.readTree(line);
                ObjectNode answer = JSON.createObjectNode();
                answer.set("id", problem.get("id"));
                try {
                    switch (problem.get("assignor").asText()) {
                        case "high-availability" -> highAvailability(problem, answer);
                        case "sticky" -> sticky(problem, answer);
                        default -> coordinator(problem, answer);
                    }
                } catch (RuntimeException e) {
                    answer.removeAll();
                    answer.set("id", problem.get("id"));
                    answer.put("error", e.getClass().getName() + ": " + e.getMessage());
                }
                out.write(JSON.writeValueAsString(answer) + "\n");
            }
        }
    }
}
