// One consumer of Kafka's own client, driven by lines on standard input; it reports what it sees as JSON lines.
// Arguments: KEY=VALUE, consumer settings by their Kafka names, and topics=, callback.ms=, process.ms=, assignor.ms=, warm.ms=,
// callback.commit=true (commitSync in revoked callbacks), took=true (each poll tells which records it brought: partition, and the record's own time).
// Input: "start", "close", "slow_batch MS", "subscribe TOPIC,TOPIC", "enforce". Times are milliseconds since the epoch.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

public class Member implements ConsumerRebalanceListener {
    static final LinkedBlockingQueue<String> COMMANDS = new LinkedBlockingQueue<>();
    static final Duration POLL = Duration.ofMillis(100);
    static final int LONG_BATCH_MS = 500;
    static volatile KafkaConsumer<byte[], byte[]> consumer;
    static int assignorMs;
    final int callbackMs;
    final boolean callbackCommits;

    // range, after a sleep
    public static class SlowAssignor extends RangeAssignor {
        @Override
        public String name() {
            return "range";
        }

        @Override
        public GroupAssignment assign(Cluster metadata, GroupSubscription subscription) {
            sleep(assignorMs);
            return super.assign(metadata, subscription);
        }
    }

    Member(int callbackMs, boolean callbackCommits) {
        this.callbackMs = callbackMs;
        this.callbackCommits = callbackCommits;
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static synchronized void tell(String kind, String more) {
        System.out.println("{\"at_ms\":" + System.currentTimeMillis() + ",\"kind\":\"" + kind + "\"" + more + "}");
        System.out.flush();
    }

    static String who() {
        var group = consumer.groupMetadata();
        return ",\"member_id\":\"" + group.memberId() + "\",\"generation\":" + group.generationId();
    }

    static String listed(Collection<TopicPartition> partitions) {
        StringBuilder out = new StringBuilder(",\"partitions\":[");
        String comma = "";
        for (TopicPartition p : partitions) {
            out.append(comma).append("[\"").append(p.topic()).append("\",").append(p.partition()).append("]");
            comma = ",";
        }
        return out.append("]").toString();
    }

    static String taken(ConsumerRecords<byte[], byte[]> records) {
        StringBuilder out = new StringBuilder(",\"records\":[");
        String comma = "";
        for (ConsumerRecord<byte[], byte[]> r : records) {
            out.append(comma).append("[\"").append(r.topic()).append("\",").append(r.partition()).append(",");
            out.append(r.offset()).append(",").append(r.timestamp()).append("]");
            comma = ",";
        }
        return out.append("]").toString();
    }

    void call(String kind, Collection<TopicPartition> partitions) {
        String more = who() + listed(partitions);
        tell(kind, more);
        if (callbackMs > 0 && !partitions.isEmpty() && !kind.equals("lost")) sleep(callbackMs);
        if (callbackCommits && !partitions.isEmpty() && kind.equals("revoked")) commit();
        tell("callback_end", ",\"of\":\"" + kind + "\"" + more);
    }

    static void commit() {
        try {
            consumer.commitSync();
        } catch (RuntimeException e) {
            tell("commit_refused", ",\"error\":\"" + e.getClass().getSimpleName() + "\"" + who());
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        call("assigned", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        call("revoked", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        call("lost", partitions);
    }

    static void listen() {
        Thread reader = new Thread(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) COMMANDS.add(line);
            } catch (java.io.IOException e) {
                tell("input_error", "");
            }
            if (consumer != null) Runtime.getRuntime().halt(0); // whoever drove us is gone
            COMMANDS.add("exit");
        });
        reader.setDaemon(true);
        reader.start();
    }

    // Load and compile the client's classes before the story begins: join a group of one's own.
    static void warmUp(Properties settings, List<String> topics, long ms) {
        Properties alone = new Properties();
        alone.putAll(settings);
        alone.remove("group.instance.id");
        alone.remove("warm.ms");
        alone.setProperty("group.id", settings.getProperty("group.id") + "-warm-" + ProcessHandle.current().pid());
        long until = System.currentTimeMillis() + ms;
        try (KafkaConsumer<byte[], byte[]> warm = new KafkaConsumer<>(alone)) {
            warm.subscribe(topics);
            while (warm.assignment().isEmpty() && System.currentTimeMillis() < until) warm.poll(POLL);
        }
    }

    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        for (String arg : args) settings.setProperty(arg.split("=", 2)[0], arg.split("=", 2)[1]);
        String deserializer = "org.apache.kafka.common.serialization.ByteArrayDeserializer";
        settings.setProperty("key.deserializer", deserializer);
        settings.setProperty("value.deserializer", deserializer);
        List<String> topics = Arrays.asList(((String) settings.remove("topics")).split(","));
        int callbackMs = Integer.parseInt((String) settings.getOrDefault("callback.ms", "0"));
        boolean callbackCommits = Boolean.parseBoolean((String) settings.getOrDefault("callback.commit", "false"));
        int processMs = Integer.parseInt((String) settings.getOrDefault("process.ms", "0"));
        int assigning = Integer.parseInt((String) settings.getOrDefault("assignor.ms", "0"));
        boolean took = Boolean.parseBoolean((String) settings.getOrDefault("took", "false"));
        for (String own : List.of("callback.ms", "callback.commit", "process.ms", "assignor.ms", "took")) settings.remove(own);
        listen();
        warmUp(settings, topics, Long.parseLong((String) settings.getOrDefault("warm.ms", "20000")));
        settings.remove("warm.ms");
        assignorMs = assigning;
        tell("ready", "");
        for (String line = COMMANDS.take(); !line.equals("start"); line = COMMANDS.take()) {
            if (line.equals("exit")) return;
        }
        tell("start", "");
        consumer = new KafkaConsumer<>(settings);
        Member listener = new Member(callbackMs, callbackCommits);
        consumer.subscribe(topics, listener);
        tell("subscribed", "");
        boolean commits = settings.getProperty("enable.auto.commit", "true").equals("false");
        long slowMs = 0;
        while (true) {
            for (String line = COMMANDS.poll(); line != null; line = COMMANDS.poll()) {
                String[] words = line.split(" ");
                if (words[0].equals("close")) {
                    tell("closing", who());
                    consumer.close();
                    tell("closed", "");
                    return;
                } else if (words[0].equals("slow_batch")) {
                    slowMs = Long.parseLong(words[1]);
                } else if (words[0].equals("subscribe")) {
                    consumer.subscribe(Arrays.asList(words[1].split(",")), listener);
                } else if (words[0].equals("enforce")) {
                    consumer.enforceRebalance();
                }
            }
            ConsumerRecords<byte[], byte[]> records = null;
            try {
                records = consumer.poll(POLL);
            } catch (RuntimeException e) {
                tell("poll_error", ",\"error\":\"" + e.getClass().getSimpleName() + "\"");
                if (!(e instanceof WakeupException)) return;
            }
            if (records == null || records.isEmpty()) continue;
            if (took) tell("took", taken(records));
            long busyMs = slowMs > 0 ? slowMs : processMs;
            slowMs = 0;
            if (busyMs >= LONG_BATCH_MS) tell("processing", ",\"ms\":" + busyMs);
            if (busyMs > 0) sleep(busyMs);
            if (busyMs >= LONG_BATCH_MS) tell("processing_end", "");
            if (commits) commit();
        }
    }
}
