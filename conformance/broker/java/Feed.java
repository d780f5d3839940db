// Writes a record into every partition of a topic, again and again, until its standard input is closed.
// Arguments: BOOTSTRAP TOPIC PARTITIONS EVERY_MS

import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

public class Feed {
    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        settings.setProperty("bootstrap.servers", args[0]);
        settings.setProperty("linger.ms", "0");
        String serializer = "org.apache.kafka.common.serialization.ByteArraySerializer";
        settings.setProperty("key.serializer", serializer);
        settings.setProperty("value.serializer", serializer);
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
            while (true) {
                for (int p = 0; p < Integer.parseInt(args[2]); p++) {
                    producer.send(new ProducerRecord<>(args[1], p, null, new byte[] {1}));
                }
                Thread.sleep(Long.parseLong(args[3]));
            }
        }
    }
}
