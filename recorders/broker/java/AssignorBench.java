// Runs Kafka's own client-side assignors on problems in a file and prints how long they took, and what they answered.
// Lines: "problem NAME ASSIGNOR WARMUPS RUNS" (at most so many warm-ups, 3 s of them), "topic NAME COUNT [rack,rack;rack,...]",
// "member ID GENERATION INSTANCE RACK TOPIC,TOPIC,..." ("-" for none), "owned TOPIC NUMBER,NUMBER,..." and "end".

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

public class AssignorBench {
    static final long WARM_UP_NANOS = 3_000_000_000L;

    static class Member {
        String id;
        int generation;
        String instance;
        String rack;
        List<String> topics;
        List<TopicPartition> owned = new ArrayList<>();
    }

    static ConsumerPartitionAssignor assignor(String name) {
        switch (name) {
            case "range": return new RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            default: return new CooperativeStickyAssignor();
        }
    }

    static String orNull(String word) {
        return word.equals("-") ? null : word;
    }

    static Map<String, Subscription> subscriptions(String name, List<Member> members) {
        Map<String, Subscription> result = new HashMap<>();
        for (Member m : members) {
            ConsumerPartitionAssignor own = assignor(name);
            if (!m.owned.isEmpty() || m.generation >= 0) {
                own.onAssignment(new Assignment(m.owned), new ConsumerGroupMetadata("g", m.generation, m.id, Optional.empty()));
            }
            ByteBuffer data = own.subscriptionUserData(new HashSet<>(m.topics));
            List<TopicPartition> owned = name.equals("sticky") ? Collections.emptyList() : m.owned;
            Subscription s = new Subscription(m.topics, data, owned, m.generation, Optional.ofNullable(m.rack));
            s.setGroupInstanceId(Optional.ofNullable(m.instance));
            result.put(m.id, s);
        }
        return result;
    }

    static Node[] replicas(String racks, int partition) {
        if (racks == null) return new Node[] {new Node(0, "h", 1)};
        String[] each = racks.split(";", -1)[partition].split(",");
        Node[] nodes = new Node[each.length];
        for (int i = 0; i < each.length; i++) nodes[i] = new Node(i, "h", 1, each[i].isEmpty() ? null : each[i]);
        return nodes;
    }

    static void run(String[] head, List<PartitionInfo> infos, List<Member> members, BufferedWriter out) throws Exception {
        Cluster cluster = new Cluster("c", Collections.emptyList(), infos, Collections.emptySet(), Collections.emptySet());
        String name = head[2];
        int warmups = Integer.parseInt(head[3]);
        int runs = Integer.parseInt(head[4]);
        long[] times = new long[runs];
        GroupSubscription group = new GroupSubscription(subscriptions(name, members));
        Map<String, Assignment> answer = null;
        String error = null;
        long began = System.nanoTime();
        for (int i = -warmups; i < runs; i++) {
            if (i > 5 - warmups && i < 0 && System.nanoTime() - began > WARM_UP_NANOS) i = 0;
            if (name.equals("sticky")) group = new GroupSubscription(subscriptions(name, members));
            ConsumerPartitionAssignor leader = assignor(name);
            long start = System.nanoTime();
            try {
                answer = leader.assign(cluster, group).groupAssignment();
            } catch (RuntimeException e) {
                error = e.getClass().getName() + ": " + e.getMessage();
            }
            if (i >= 0) times[i] = System.nanoTime() - start;
        }
        Arrays.sort(times);
        out.write("result " + head[1] + " " + times[runs / 2] + " " + (error == null ? "ok" : error) + "\n");
        if (error != null) return;
        for (Member m : members) {
            StringBuilder line = new StringBuilder(m.id);
            for (TopicPartition tp : answer.get(m.id).partitions()) {
                line.append(' ').append(tp.topic()).append(':').append(tp.partition());
            }
            out.write(line.append('\n').toString());
        }
    }

    interface Run {
        void on(String[] head, List<PartitionInfo> infos, List<Member> members, BufferedWriter out) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        each(args, AssignorBench::run);
    }

    // Reads the problems of the file args[0] one by one; what `run` writes goes to the file args[1].
    static void each(String[] args, Run run) throws Exception {
        try (BufferedReader in = Files.newBufferedReader(Path.of(args[0]));
             BufferedWriter out = Files.newBufferedWriter(Path.of(args[1]))) {
            String[] head = null;
            List<PartitionInfo> infos = new ArrayList<>();
            List<Member> members = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("problem")) {
                    head = words;
                    infos = new ArrayList<>();
                    members = new ArrayList<>();
                } else if (words[0].equals("topic")) {
                    for (int p = 0; p < Integer.parseInt(words[2]); p++) {
                        Node[] nodes = replicas(words.length > 3 ? words[3] : null, p);
                        infos.add(new PartitionInfo(words[1], p, null, nodes, nodes));
                    }
                } else if (words[0].equals("member")) {
                    Member m = new Member();
                    m.id = words[1];
                    m.generation = Integer.parseInt(words[2]);
                    m.instance = orNull(words[3]);
                    m.rack = orNull(words[4]);
                    m.topics = words[5].equals("-") ? Collections.emptyList() : Arrays.asList(words[5].split(","));
                    members.add(m);
                } else if (words[0].equals("owned")) {
                    for (String p : words[2].split(",")) {
                        members.get(members.size() - 1).owned.add(new TopicPartition(words[1], Integer.parseInt(p)));
                    }
                } else if (words[0].equals("end")) {
                    run.on(head, infos, members, out);
                }
            }
        }
    }
}
