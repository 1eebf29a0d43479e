package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code psf status} prints for people. */
@Timeout(60)
class StatusTablesTest {
    private static final Latency SHORT = new Latency(1, 1_000, 88_064, 1_720_320, 2_410_233_000L);

    private static FunctionStatistics function(String name, long answers, long in, long out) {
        return new FunctionStatistics(name, new TreeMap<>(Map.of("OK", answers)), in, out, SHORT, SHORT, SHORT);
    }

    private static ClusterStatus counted(double seconds, FunctionStatistics... functions) {
        Duration time = Duration.ofMillis(Math.round(seconds * 1000));
        return new ClusterStatus(List.of(), List.of(), new Statistics(time, Arrays.asList(functions), new TreeMap<>()));
    }

    @Test
    void ratesAreThoseSinceTheLastPrint() {
        ClusterStatus first = counted(10, function("acme.a", 1_000, 1 << 20, 0), function("psf.list", 2, 100, 100));
        ClusterStatus second = counted(
                12.5,
                function("acme.a", 1_500, 11 << 20, 2560),
                function("acme.new", 5, 0, 10),
                function("psf.connection.hello", 6, 0, 10),
                function("psf.list", 4, 200, 200));
        List<String> lines = new StatusTables(second, first).lines();
        assertThat(lines)
                .anyMatch(line -> line.matches("acme.a +1,500 +0 +200 +4.0 MiB +1.0 KiB"))
                .anyMatch(line -> line.matches("acme.new +5 +0 +2.0 +0 B +4 B"))
                .contains("counted for 12.5 s, rates of the last 2.5 s")
                .contains("apart, of psf status and the like: connections 6, psf.list 4")
                .noneMatch(line -> line.startsWith("psf.list"));
        assertThat(new StatusTables(first, null).lines())
                .anyMatch(line -> line.matches("acme.a +1,000 +0 +100 +102 KiB +0 B"));
        assertThat(new StatusTables(first, second).lines())
                .as("the servers count anew")
                .anyMatch(line -> line.matches("acme.a +1,000 +0 +100 +102 KiB +0 B"))
                .contains("counted for 10.0 s, rates of the last 10.0 s");
    }

    @Test
    void timesHaveTheUnitThatAPersonReads() {
        assertThat(new StatusTables(counted(1, function("acme.a", 1, 1, 1)), null).lines())
                .anyMatch(line -> line.matches("acme.a +88.1 us +1.7 ms +88.1 us +1.7 ms +2.4 s"));
    }

    @Test
    void theMostFrequentFunctionIsTheFirst() {
        List<String> lines = new StatusTables(
                        counted(
                                1,
                                function("acme.a", 1, 1, 1),
                                function("acme.b", 3, 1, 1),
                                function("acme.c", 3, 1, 1)),
                        null)
                .lines();
        assertThat(lines.stream()
                        .filter(line -> line.startsWith("acme."))
                        .map(line -> line.substring(0, 6))
                        .limit(3))
                .containsExactly("acme.b", "acme.c", "acme.a");
    }

    @Test
    void everyLineOfAClusterWithManyLongNamesFitsATerminal() {
        FunctionStatistics huge = new FunctionStatistics(
                "acme." + "very-long-name.".repeat(10) + "end",
                new TreeMap<>(Map.of("OK", Long.MAX_VALUE / 2, "INTERNAL", Long.MAX_VALUE / 4)),
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                new Latency(1, 1, 999_499_999, 999_400, 999_949),
                new Latency(1, 1, 99_960, 999_960, 999_999_000_000L),
                SHORT);
        List<TensorId> all = new ArrayList<>();
        ClusterStatus status;
        try (PsCluster cluster = PsCluster.builder().servers(3).workers(1).tcp().start()) {
            for (int i = 0; i < 60; i++) {
                String middle = i % 2 == 0 ? "embedding." : "\u8868\ud83d\ude00";
                TensorSpec spec = i % 3 == 0
                        ? TensorSpec.growing("model." + middle.repeat(10 + i / 9) + i, 100_000 + i)
                        : TensorSpec.table("model." + middle.repeat(10 + i / 9) + i, 1000 + i, 16);
                all.add(Tensors.init(cluster.worker(), spec.optimizer(Optimizers.adam(0.01))));
            }
            Settings settings = Settings.of(Map.of())
                    .with(Map.of(
                            "PSF_ROLE",
                            "worker",
                            "PSF_SCHEDULER",
                            "127.0.0.1:" + cluster.scheduler().port()));
            try (Guest guest = Guest.visit(settings.worker())) {
                ClusterStatus now = ClusterStatus.of(guest);
                status = new ClusterStatus(
                        now.members(),
                        now.tensors(),
                        new Statistics(Duration.ofSeconds(1), List.of(huge), new TreeMap<>()));
            }
        }
        List<String> lines = new StatusTables(status, null).lines();
        assertThat(lines).allMatch(line -> Text.width(line) <= 80, "at most 80 columns");
        for (TensorId each : all) {
            String end = each.name().replaceAll(".*\\D", "");
            assertThat(lines)
                    .as("the end of %s", each)
                    .anyMatch(line -> line.matches("model.*\\.\\..*\\D" + end + " .*"));
        }
        List<String> tensors =
                lines.stream().filter(line -> line.startsWith("model.")).toList();
        assertThat(tensors).hasSize(60);
        assertThat(tensors.get(0)).as("the largest is first").contains("1,059").contains("66.2 KiB");
        assertThat(lines).anyMatch(line -> line.matches("acme.*\\.\\..*end( +[0-9.]+ (ns|us|ms|s)){5}"));
    }

    @Test
    void aTextIsCutBetweenItsCharacters() {
        assertThat(Text.withoutMiddle("embedding_of_users", 12)).isEqualTo("embed..users");
        assertThat(Text.withoutMiddle("\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00", 7))
                .isEqualTo("\ud83d\ude00..\ud83d\ude00");
        assertThat(Text.withoutEnd("Adam[lr=0.01, b1=0.9]", 11)).isEqualTo("Adam[lr=0..");
        assertThat(Text.withoutMiddle("short", 5)).isEqualTo("short");
    }

    @Test
    void unitsChangeWhereTheNumberWouldBecomeLong() {
        assertThat(List.of(Units.bytes(999), Units.bytes(1000), Units.bytes(1023 * 1024), Units.bytes(Long.MAX_VALUE)))
                .containsExactly("999 B", "1.0 KiB", "1.0 MiB", "8.0 EiB");
        assertThat(List.of(Units.count(999_999), Units.count(48_200_000), Units.count(Long.MAX_VALUE)))
                .containsExactly("999,999", "48.2 M", "9.2 E");
        assertThat(List.of(Units.nanos(0), Units.nanos(99_960), Units.nanos(999_499), Units.nanos(999_500)))
                .containsExactly("0.0 us", "100 us", "999 us", "1.0 ms");
    }
}
