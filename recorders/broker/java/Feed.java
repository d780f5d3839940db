// Writes a record into every partition of some topics, again and again, until its standard input is closed.
// Arguments: BOOTSTRAP EVERY_MS TOPIC...; partitions that a topic gets later are fed as well.

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

public class Feed {
    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        settings.setProperty("bootstrap.servers", args[0]);
        settings.setProperty("linger.ms", "0");
        settings.setProperty("metadata.max.age.ms", "2000");
        String serializer = "org.apache.kafka.common.serialization.ByteArraySerializer";
        settings.setProperty("key.serializer", serializer);
        settings.setProperty("value.serializer", serializer);
        List<String> topics = Arrays.asList(args).subList(2, args.length);
        Thread reader = new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (java.io.IOException e) {
                // the same as its end
            }
            Runtime.getRuntime().halt(0);
        });
        reader.setDaemon(true);
        reader.start();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            for (long next = System.currentTimeMillis(); ; next += Long.parseLong(args[1])) {
                Thread.sleep(Math.max(0, next - System.currentTimeMillis()));
                for (String topic : topics) {
                    int partitions = producer.partitionsFor(topic).size();
                    for (int p = 0; p < partitions; p++) {
                        producer.send(new ProducerRecord<>(topic, p, null, new byte[] {1}));
                    }
                }
            }
        }
    }
}
