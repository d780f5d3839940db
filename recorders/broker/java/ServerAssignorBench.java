// Runs Kafka's own server-side assignors (KIP-848) on problems in a file, as AssignorBench does the client-side ones;
// times are those of the thread's CPU.
// Topic ids are made of the names: Uuid(hash, hash * 31 + length). The previous target is as the coordinator reads it from records.

import java.io.BufferedWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

public class ServerAssignorBench {
    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    static Uuid id(String topic) {
        long hash = topic.hashCode();
        return new Uuid(hash, hash * 31 + topic.length());
    }

    static Assignment target(List<TopicPartition> owned) {
        Map<Uuid, List<Integer>> lists = new LinkedHashMap<>();
        for (TopicPartition p : owned) lists.computeIfAbsent(id(p.topic()), k -> new ArrayList<>()).add(p.partition());
        Map<Uuid, Set<Integer>> sets = new HashMap<>();
        lists.forEach((topic, numbers) -> sets.put(topic, new HashSet<>(numbers)));
        return new Assignment(sets);
    }

    static SubscribedTopicDescriber describer(Map<String, Integer> counts) {
        Map<Uuid, Integer> byId = new HashMap<>();
        counts.forEach((topic, count) -> byId.put(id(topic), count));
        return new SubscribedTopicDescriber() {
            public int numPartitions(Uuid topic) {
                return byId.getOrDefault(topic, -1);
            }

            public Set<String> racksForPartition(Uuid topic, int partition) {
                return Collections.emptySet();
            }

            public Set<Integer> assignablePartitions(Uuid topic) {
                return Collections.emptySet();
            }
        };
    }

    // As Kafka's TopicIds: in the order of the names; the size counts topics that do not exist, too.
    static Set<Uuid> ids(Set<String> topics, Map<String, Integer> counts) {
        List<Uuid> known = new ArrayList<>();
        for (String topic : topics) if (counts.containsKey(topic)) known.add(id(topic));
        return new AbstractSet<>() {
            public Iterator<Uuid> iterator() {
                return known.iterator();
            }

            public int size() {
                return topics.size();
            }
        };
    }

    // As the coordinator prepares it; the last group's preparation is not timed, as in AssignorBench.
    static GroupSpecImpl group(List<AssignorBench.Member> members, Map<String, Integer> counts) {
        Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
        Map<Uuid, Map<Integer, String>> inverted = new HashMap<>();
        Set<Set<String>> subscriptions = new HashSet<>();
        for (AssignorBench.Member m : members) {
            Set<String> subscription = new HashSet<>(m.topics);
            subscriptions.add(subscription);
            Set<Uuid> topics = ids(subscription, counts);
            specs.put(m.id, new MemberSubscriptionAndAssignmentImpl(
                Optional.ofNullable(m.rack), Optional.ofNullable(m.instance), topics, target(m.owned)));
            for (TopicPartition p : m.owned) {
                inverted.computeIfAbsent(id(p.topic()), k -> new HashMap<>()).put(p.partition(), m.id);
            }
        }
        SubscriptionType type = subscriptions.size() <= 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        return new GroupSpecImpl(Collections.unmodifiableMap(specs), type, inverted);
    }

    static void run(String[] head, List<PartitionInfo> infos, List<AssignorBench.Member> members, BufferedWriter out) throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        Map<Uuid, String> names = new HashMap<>();
        for (PartitionInfo info : infos) counts.merge(info.topic(), 1, Integer::sum);
        for (String topic : counts.keySet()) names.put(id(topic), topic);
        for (AssignorBench.Member m : members) for (TopicPartition p : m.owned) names.put(id(p.topic()), p.topic());
        PartitionAssignor assignor = head[2].equals("server-range") ? new RangeAssignor() : new UniformAssignor();
        int warmups = Integer.parseInt(head[3]);
        int runs = Integer.parseInt(head[4]);
        long[] times = new long[runs];
        GroupSpecImpl group = group(members, counts);
        SubscribedTopicDescriber describer = describer(counts);
        Map<String, MemberAssignment> answer = null;
        String error = null;
        long began = System.nanoTime();
        for (int i = -warmups; i < runs; i++) {
            if (i > 5 - warmups && i < 0 && System.nanoTime() - began > AssignorBench.WARM_UP_NANOS) i = 0;
            long start = CPU.getCurrentThreadCpuTime();
            try {
                answer = assignor.assign(group, describer).members();
            } catch (RuntimeException e) {
                error = e.getClass().getName() + ": " + e.getMessage();
            }
            if (i >= 0) times[i] = CPU.getCurrentThreadCpuTime() - start;
        }
        Arrays.sort(times);
        out.write("result " + head[1] + " " + times[runs / 2] + " " + (error == null ? "ok" : error) + "\n");
        if (error != null) return;
        for (AssignorBench.Member m : members) {
            StringBuilder line = new StringBuilder(m.id);
            Map<String, Set<Integer>> sorted = new TreeMap<>();
            if (answer.containsKey(m.id)) answer.get(m.id).partitions().forEach((topic, numbers) -> sorted.put(names.get(topic), new TreeSet<>(numbers)));
            sorted.forEach((topic, numbers) -> numbers.forEach(n -> line.append(' ').append(topic).append(':').append(n)));
            out.write(line.append('\n').toString());
        }
    }

    public static void main(String[] args) throws Exception {
        AssignorBench.each(args, ServerAssignorBench::run);
    }
}
