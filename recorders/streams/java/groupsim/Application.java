package groupsim;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.rocksdb.RocksDB;

/**
 * Counts the records of a topic by key, in one persistent store; passes those of a second topic, if there is one, without a store.
 * It prints what its tasks do, a JSON object a line. Arguments: settings of Kafka Streams as name=value, and
 * orders=TOPIC, payments=TOPIC (may be missing), restore=RECORDS PER SECOND (0: as fast as it can).
 * A first line on its standard input starts it, a second one closes it; the end of that input ends it.
 */
public final class Application {
    private static final byte[] NOTHING = new byte[0];

    private static synchronized void say(String kind, String rest) {
        System.out.println("{\"at\":" + System.currentTimeMillis() + ",\"kind\":\"" + kind + "\"" + rest + "}");
        System.out.flush();
    }

    private static String task(TaskId id) {
        return ",\"partition\":" + id.partition() + ",\"task\":\"" + id + "\"";
    }

    /** Writes when its task begins and ends, and once a second how many records it has had. */
    private static class Watched implements Processor<byte[], byte[], Void, Void> {
        private TaskId id;
        private long seen;
        private long said;

        @Override public void init(ProcessorContext<Void, Void> context) {
            id = context.taskId();
            say("task_running", task(id));
        }

        @Override public void process(Record<byte[], byte[]> record) {
            seen++;
            long now = System.currentTimeMillis();
            if (seen == 1) {
                say("first_record", task(id));
            }
            if (now - said >= 1000) {
                said = now;
                say("processed", task(id) + ",\"n\":" + seen);
            }
        }

        @Override public void close() { say("task_closed", task(id) + ",\"n\":" + seen); }
    }

    private static final class Counting extends Watched {
        private KeyValueStore<byte[], Long> counts;

        @Override public void init(ProcessorContext<Void, Void> context) {
            counts = context.getStateStore("counts");
            super.init(context);
        }

        @Override public void process(Record<byte[], byte[]> record) {
            byte[] key = record.key() == null ? NOTHING : record.key();
            Long before = counts.get(key);
            counts.put(key, before == null ? 1L : before + 1);
            super.process(record);
        }
    }

    /** Reading state back takes as long as from a slower disk or network: so many records in a second, all stores together. */
    private static final class Restoring implements StateRestoreListener, StandbyUpdateListener {
        private static final long NEAR = 10;
        private final double perSecond;
        private final Map<TopicPartition, Boolean> follows = new ConcurrentHashMap<>();

        Restoring(double perSecond) { this.perSecond = perSecond; }

        private void slow(long records) {
            if (perSecond > 0) {
                try {
                    Thread.sleep(Math.round(1000 * records / perSecond));
                } catch (InterruptedException error) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private static String of(TopicPartition partition) { return ",\"partition\":" + partition.partition(); }

        @Override public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
            say("restore_start", of(partition) + ",\"from\":" + from + ",\"to\":" + to);
        }

        @Override public void onBatchRestored(TopicPartition partition, String store, long end, long records) {
            slow(records);
        }

        @Override public void onRestoreEnd(TopicPartition partition, String store, long records) {
            say("restore_end", of(partition) + ",\"records\":" + records);
        }

        @Override public void onRestoreSuspended(TopicPartition partition, String store, long records) {
            say("restore_suspended", of(partition) + ",\"records\":" + records);
        }

        @Override public void onUpdateStart(TopicPartition partition, String store, long from) {
            say("standby_start", of(partition) + ",\"from\":" + from);
        }

        @Override public void onBatchLoaded(TopicPartition partition, String store, TaskId id, long end, long records, long to) {
            boolean behind = end < to - NEAR;
            if (behind != Boolean.TRUE.equals(follows.put(partition, behind))) {
                say(behind ? "standby_behind" : "standby_near", of(partition) + ",\"offset\":" + end + ",\"to\":" + to);
            }
            slow(records);
        }

        @Override public void onUpdateSuspended(TopicPartition partition, String store, long at, long to, SuspendReason why) {
            say("standby_end", of(partition) + ",\"reason\":\"" + why + "\",\"offset\":" + at + ",\"to\":" + to);
        }
    }

    private static Topology topology(String orders, String payments) {
        Topology topology = new Topology();
        topology.addSource("orders", new ByteArrayDeserializer(), new ByteArrayDeserializer(), orders);
        topology.addProcessor("counting", Counting::new, "orders");
        topology.addStateStore(
            Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("counts"), Serdes.ByteArray(), Serdes.Long()), "counting");
        if (payments != null) {
            topology.addSource("payments", new ByteArrayDeserializer(), new ByteArrayDeserializer(), payments);
            topology.addProcessor("passing", Watched::new, "payments");
        }
        return topology;
    }

    /** Loads classes and the native library, so that a start takes as long as of a program that was not started anew. */
    private static void warm(Properties settings) {
        Properties elsewhere = new Properties();
        elsewhere.putAll(settings);
        elsewhere.setProperty("bootstrap.servers", "127.0.0.1:9");
        elsewhere.setProperty("state.dir", settings.getProperty("state.dir") + "-warm-" + ProcessHandle.current().pid());
        RocksDB.loadLibrary();
        try (KafkaStreams streams = new KafkaStreams(topology("orders", null), elsewhere)) {
            streams.metrics();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            settings.setProperty(argument.substring(0, at), argument.substring(at + 1));
        }
        Restoring restoring = new Restoring(Double.parseDouble((String) settings.remove("restore")));
        Topology topology = topology((String) settings.remove("orders"), (String) settings.remove("payments"));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        warm(settings);
        say("warm", "");
        if (input.readLine() == null) {
            Runtime.getRuntime().halt(0);
        }
        say("start", "");
        KafkaStreams streams = new KafkaStreams(topology, settings);
        streams.setGlobalStateRestoreListener(restoring);
        streams.setStandbyUpdateListener(restoring);
        streams.setStateListener((to, from) -> say("state", ",\"from\":\"" + from + "\",\"to\":\"" + to + "\""));
        streams.setUncaughtExceptionHandler(error -> {
            say("uncaught", ",\"error\":\"" + error.getClass().getName() + "\"");
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        if (input.readLine() != null) {
            say("closing", "");
            streams.close(Duration.ofSeconds(50));
            say("closed", "");
        }
        Runtime.getRuntime().halt(0);
    }
}
