package groupsim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** A connector without data: it and its tasks write when they start and stop, one line each, to a file. */
public final class Stamps extends SourceConnector {
    private Map<String, String> settings;

    static void stamp(Map<String, String> settings, String what, String unit) {
        String line = System.currentTimeMillis() + " " + what + " " + unit + " " + System.getProperty("worker") + "\n";
        try {
            Path file = Path.of(settings.get("stamps"));
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override public String version() { return "1"; }

    @Override public void start(Map<String, String> given) {
        settings = given;
        stamp(settings, "start", settings.get("name"));
    }

    @Override public void stop() { stamp(settings, "stop", settings.get("name")); }

    @Override public Class<? extends Task> taskClass() { return Stamped.class; }

    @Override public ConfigDef config() { return new ConfigDef(); }

    @Override public List<Map<String, String>> taskConfigs(int most) {
        List<Map<String, String>> tasks = new ArrayList<>();
        for (int number = 0; number < most; number++) {
            Map<String, String> task = new HashMap<>(settings);
            task.put("unit", settings.get("name") + "-" + number);
            tasks.add(task);
        }
        return tasks;
    }

    /** One task: it polls ten times a second and has never a record. */
    public static final class Stamped extends SourceTask {
        private Map<String, String> settings;

        @Override public String version() { return "1"; }

        @Override public void start(Map<String, String> given) {
            settings = given;
            stamp(settings, "start", settings.get("unit"));
        }

        @Override public List<SourceRecord> poll() throws InterruptedException {
            Thread.sleep(100);
            return null;
        }

        @Override public void stop() { stamp(settings, "stop", settings.get("unit")); }
    }
}
