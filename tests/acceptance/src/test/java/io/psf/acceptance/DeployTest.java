package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The files in {@code deploy}: the settings of the units of systemd make a cluster that heals itself; compose has the
 * same.
 */
@Timeout(240)
class DeployTest {
    private static final Path DEPLOY = Path.of("../../deploy");
    private static final Pattern SETTING = Pattern.compile("(PSF_[A-Z_]+)=(\\S+)");
    private static final int STEPS = 120;
    private static final Duration LONGEST = Duration.ofSeconds(100);

    /** Returns the settings of a unit's node: the settings of the common file, and of the unit. */
    private static Map<String, String> settings(String role, String rank) throws IOException {
        String unit = Files.readString(
                DEPLOY.resolve("systemd/psf-" + role + (role.equals("scheduler") ? "" : "@") + ".service"));
        assertThat(unit).contains("EnvironmentFile=/etc/psf/psf.env\n", "Restart=on-failure\n");
        Map<String, String> settings = new TreeMap<>();
        for (String text : List.of(Files.readString(DEPLOY.resolve("systemd/psf.env")), unit)) {
            Matcher matcher = SETTING.matcher(text);
            while (matcher.find()) {
                settings.put(matcher.group(1), matcher.group(2).replace("%i", rank));
            }
        }
        return settings;
    }

    /** The supervisor of the test starts what has failed again, as the units say. */
    @Tag("chaos")
    @Test
    void aClusterOfTheUnitsHealsItself(@TempDir Path folder) throws Exception {
        String undisturbed = train(folder.resolve("undisturbed"), List.of());
        assertThat(train(folder.resolve("disturbed"), List.of("scheduler", "server 1", "worker 2", "server 0")))
                .isEqualTo(undisturbed);
    }

    private static String train(Path folder, List<String> victims) throws Exception {
        Path checkpoints = folder.resolve("checkpoints");
        try (TrainingProcesses job = new TrainingProcesses(checkpoints, node -> here(node, folder), STEPS, LONGEST)) {
            return job.train(victims);
        }
    }

    /** Returns the settings of a node on this machine. */
    private static Map<String, String> here(String node, Path folder) {
        try {
            String[] words = node.split(" ", -1);
            Map<String, String> settings = settings(words[0], words.length > 1 ? words[1] : "");
            settings.keySet().removeAll(List.of("PSF_SCHEDULER", "PSF_SERVERS", "PSF_WORKERS", "PSF_LISTEN"));
            settings.put("PSF_CHECKPOINTS", folder.resolve("checkpoints").toString());
            settings.computeIfPresent(
                    "PSF_JOURNAL", (name, path) -> folder.resolve("journal").toString());
            return settings;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void composeHasTheSettingsOfTheUnits() throws IOException {
        Map<?, ?> compose = (Map<?, ?>) new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(DEPLOY.resolve("compose/compose.yaml")));
        Map<String, Map<String, String>> services = new HashMap<>();
        Objects.requireNonNull((Map<?, ?>) compose.get("services"))
                .forEach((name, service) -> services.put(name.toString(), environment((Map<?, ?>) service)));
        assertThat(services.keySet())
                .containsExactlyInAnyOrder("scheduler", "server-0", "server-1", "worker-0", "worker-1");
        List<String> places =
                List.of("PSF_SCHEDULER", "PSF_CHECKPOINTS", "PSF_JOURNAL", "PSF_LISTEN", "PSF_ADVERTISE", "PSF_SECRET");
        for (Map.Entry<String, Map<String, String>> service : services.entrySet()) {
            String[] words = service.getKey().split("-", -1);
            Map<String, String> ofUnit = settings(words[0], words.length > 1 ? words[1] : "");
            Settings.of(ofUnit).with(Map.of("PSF_ROLE", words[0]));
            ofUnit.keySet().removeAll(places);
            service.getValue().keySet().removeAll(places);
            assertThat(service.getValue()).as(service.getKey()).isEqualTo(ofUnit);
        }
    }

    /** Returns the variables of a service; a key {@code <<} merges those of all. */
    private static Map<String, String> environment(Map<?, ?> service) {
        Map<String, String> environment = new TreeMap<>();
        Objects.requireNonNull((Map<?, ?>) service.get("environment")).forEach((name, value) -> {
            if (value instanceof Map<?, ?> merged) {
                merged.forEach((key, each) -> environment.putIfAbsent(key.toString(), each.toString()));
            } else {
                environment.put(name.toString(), value.toString());
            }
        });
        return environment;
    }
}
