package groupsim;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Sets what is configured of a group, then writes two records a second into each partition of some topics.
 * Arguments: bootstrap.servers=…, topics=A,B, partitions=N, keys=DIFFERENT KEYS OF A PARTITION, group=NAME, and group settings as name=value.
 * A line "preload TOPIC N" on its standard input: N records at once into each partition of a topic, each with a key of its own;
 * it prints a line when they are there. The end of that input ends it.
 */
public final class Producer {
    private static final long EVERY_MS = 500;

    private static void configure(String bootstrap, String group, Map<String, String> settings) throws Exception {
        List<AlterConfigOp> changes = new ArrayList<>();
        settings.forEach((name, value) -> changes.add(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET)));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), changes)).all().get();
        }
    }

    private static byte[] key(long number) { return ByteBuffer.allocate(8).putLong(number).array(); }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> given = new HashMap<>();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            given.put(argument.substring(0, at), argument.substring(at + 1));
        }
        String bootstrap = given.remove("bootstrap.servers");
        List<String> topics = List.of(given.remove("topics").split(","));
        int partitions = Integer.parseInt(given.remove("partitions"));
        long keys = Long.parseLong(given.remove("keys"));
        configure(bootstrap, given.remove("group"), given);
        Properties settings = new Properties();
        settings.setProperty("bootstrap.servers", bootstrap);
        String serializer = "org.apache.kafka.common.serialization.ByteArraySerializer";
        settings.setProperty("key.serializer", serializer);
        settings.setProperty("value.serializer", serializer);
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings);
        topics.forEach(producer::partitionsFor);
        Thread reader = new Thread(() -> {
            try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    String[] words = line.split(" ");
                    for (long number = 0; number < Long.parseLong(words[2]); number++) {
                        for (int partition = 0; partition < partitions; partition++) {
                            producer.send(new ProducerRecord<>(words[1], partition, key(number), new byte[] {1}));
                        }
                    }
                    producer.flush();
                    System.out.println("{\"at\":" + System.currentTimeMillis() + ",\"kind\":\"preloaded\"}");
                }
            } catch (java.io.IOException error) {
                // the same as its end
            }
            Runtime.getRuntime().halt(0);
        });
        reader.setDaemon(true);
        reader.start();
        System.out.println("{\"at\":" + System.currentTimeMillis() + ",\"kind\":\"configured\"}");
        for (long number = 0; ; number++) {
            for (String topic : topics) {
                for (int partition = 0; partition < partitions; partition++) {
                    producer.send(new ProducerRecord<>(topic, partition, key(number % keys), new byte[] {1}));
                }
            }
            Thread.sleep(EVERY_MS);
        }
    }
}
