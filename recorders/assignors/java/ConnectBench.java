// Runs Kafka Connect's own assignors on histories in a file, one JSON object a line, one assignor object a history:
// what a worker reports is in each round, time is as the round says. In this package because the method is the package's own.

package org.apache.kafka.connect.runtime.distributed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.storage.ClusterConfigState;
import org.apache.kafka.connect.util.ConnectorTaskId;

public class ConnectBench {
    static final ObjectMapper JSON = new ObjectMapper();

    static class SetTime implements Time {
        long now;

        public long milliseconds() {
            return now;
        }

        public long nanoseconds() {
            return now * 1_000_000;
        }

        public void sleep(long ms) {
            now += ms;
        }
    }

    static ConnectorTaskId task(String name) {
        int at = name.lastIndexOf('-');
        return new ConnectorTaskId(name.substring(0, at), Integer.parseInt(name.substring(at + 1)));
    }

    static ClusterConfigState configured(JsonNode connectors) {
        Map<String, Integer> counts = new HashMap<>();
        Map<String, Map<String, String>> configs = new HashMap<>();
        connectors.fields().forEachRemaining(e -> {
            counts.put(e.getKey(), e.getValue().asInt());
            configs.put(e.getKey(), Map.of());
        });
        return new ClusterConfigState(1L, null, counts, configs, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Set.of(), Set.of());
    }

    static List<String> connectors(JsonNode worker) {
        List<String> result = new ArrayList<>();
        worker.get("connectors").forEach(c -> result.add(c.asText()));
        return result;
    }

    static List<ConnectorTaskId> tasks(JsonNode worker) {
        List<ConnectorTaskId> result = new ArrayList<>();
        worker.get("tasks").forEach(t -> result.add(task(t.asText())));
        return result;
    }

    static ArrayNode names(Collection<?> some) {
        ArrayNode result = JSON.createArrayNode();
        some.forEach(one -> result.add(one.toString()));
        return result;
    }

    static ObjectNode load(Collection<String> connectors, Collection<ConnectorTaskId> tasks) {
        ObjectNode result = JSON.createObjectNode();
        result.set("connectors", names(connectors));
        result.set("tasks", names(tasks));
        return result;
    }

    static ObjectNode incremental(JsonNode round, IncrementalCooperativeAssignor assignor, SetTime time) {
        time.now = round.get("now_ms").asLong();
        Map<String, WorkerCoordinator.ConnectorsAndTasks> members = new HashMap<>();
        round.get("workers").fields().forEachRemaining(e -> members.put(e.getKey(),
            new WorkerCoordinator.ConnectorsAndTasks.Builder().with(connectors(e.getValue()), tasks(e.getValue())).build()));
        IncrementalCooperativeAssignor.ClusterAssignment given = assignor.performTaskAssignment(configured(round.get("connectors")),
            round.get("last_generation").asInt(), round.get("generation").asInt(), members);
        ObjectNode answer = JSON.createObjectNode();
        answer.put("delay_ms", assignor.delay);
        ObjectNode by = answer.putObject("workers");
        for (String worker : members.keySet()) {
            ObjectNode mine = by.putObject(worker);
            mine.set("assigned", load(given.newlyAssignedConnectors(worker), given.newlyAssignedTasks(worker)));
            mine.set("revoked", load(given.newlyRevokedConnectors(worker), given.newlyRevokedTasks(worker)));
            mine.set("all", load(given.allAssignedConnectors().getOrDefault(worker, List.of()), given.allAssignedTasks().getOrDefault(worker, List.of())));
        }
        return answer;
    }

    @SuppressWarnings("unchecked")
    static ObjectNode eager(JsonNode round) throws Exception {
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        WorkerCoordinator coordinator = (WorkerCoordinator) Class.forName("sun.misc.Unsafe")
            .getMethod("allocateInstance", Class.class).invoke(unsafe.get(null), WorkerCoordinator.class);
        coordinator.configSnapshot(configured(round.get("connectors")));
        Map<String, ExtendedWorkerState> members = new HashMap<>();
        round.get("workers").fieldNames().forEachRemaining(name -> members.put(name, new ExtendedWorkerState("http://w", 1L, null)));
        Method method = EagerAssignor.class.getDeclaredMethod(
            "performTaskAssignment", String.class, long.class, Map.class, WorkerCoordinator.class);
        method.setAccessible(true);
        Map<String, ByteBuffer> given = (Map<String, ByteBuffer>) method.invoke(
            new EagerAssignor(new LogContext()), members.keySet().iterator().next(), 1L, members, coordinator);
        ObjectNode answer = JSON.createObjectNode();
        answer.put("delay_ms", 0);
        ObjectNode by = answer.putObject("workers");
        new TreeMap<>(given).forEach((worker, bytes) -> {
            ConnectProtocol.Assignment mine = ConnectProtocol.deserializeAssignment(bytes);
            TreeSet<String> connectors = new TreeSet<>(mine.connectors());  // the message has them in the order of a hash map
            TreeSet<ConnectorTaskId> tasks = new TreeSet<>(mine.tasks());
            ObjectNode all = by.putObject(worker);
            all.set("assigned", load(connectors, tasks));
            all.set("revoked", load(List.of(), List.of()));
            all.set("all", load(connectors, tasks));
        });
        return answer;
    }

    public static void main(String[] args) throws Exception {
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(args[1]))) {
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                JsonNode history = JSON.readTree(line);
                SetTime time = new SetTime();
                IncrementalCooperativeAssignor assignor = new IncrementalCooperativeAssignor(
                    new LogContext(), time, history.get("max_delay_ms").asInt());
                ObjectNode answer = JSON.createObjectNode();
                answer.set("id", history.get("id"));
                ArrayNode answers = answer.putArray("answers");
                for (JsonNode round : history.get("rounds")) {
                    answers.add(history.get("assignor").asText().equals("eager") ? eager(round) : incremental(round, assignor, time));
                }
                out.write(JSON.writeValueAsString(answer) + "\n");
            }
        }
    }
}
