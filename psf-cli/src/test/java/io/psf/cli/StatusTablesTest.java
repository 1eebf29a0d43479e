package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.MemoryUse;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Reports;
import io.psf.builtin.SavedStep;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.dashboard.ClusterStatus;
import io.psf.runtime.ClusterSummary;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code psf status} prints for people. */
@Timeout(60)
class StatusTablesTest {
    private static final Latency SHORT = Latency.of(88_000, 1_720_000);

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final ClusterSummary CLUSTER = new ClusterSummary(
            new ClusterSummary.Plan("ctr", false, 2, 2),
            Duration.ofMinutes(187),
            List.of(
                    new Member(Role.SERVER, 0, "127.0.0.1", 4081),
                    new Member(Role.SERVER, 1, "127.0.0.1", 4082),
                    new Member(Role.WORKER, 0, "", 0),
                    new Member(Role.WORKER, 1, "", 0)),
            List.of(),
            List.of("ctr"));

    private static FunctionStatistics function(String name, long answers, long in, long out) {
        return new FunctionStatistics(name, new TreeMap<>(Map.of("OK", answers)), in, out, SHORT, SHORT, SHORT);
    }

    private static ClusterStatus counted(double seconds, FunctionStatistics... functions) {
        Duration time = Duration.ofMillis(Math.round(seconds * 1000));
        return status(CLUSTER, List.of(), List.of(functions), time);
    }

    private static ClusterStatus status(
            ClusterSummary cluster, List<TensorSummary> tensors, List<FunctionStatistics> functions, Duration time) {
        SortedMap<Integer, MemoryUse> memory = new TreeMap<>();
        for (Member each : cluster.members()) {
            if (each.role() == Role.SERVER) {
                memory.put(each.rank(), new MemoryUse(32_000, 1L << 30));
            }
        }
        return new ClusterStatus(
                cluster,
                List.of(new SavedStep("ctr", 1200, NOW.minusSeconds(250))),
                tensors,
                new Statistics(time, new TreeMap<>(Map.of(0, functions)), memory, new TreeMap<>(), new TreeMap<>()),
                List.of());
    }

    private static Reports.Series series(String tag, int worker, long step, double value) {
        return new Reports.Series(tag, worker, new long[] {0, step}, new long[2], new double[] {9, value});
    }

    private static List<String> lines(ClusterStatus now, @Nullable ClusterStatus before) {
        return new StatusTables(now, before, Integer.MAX_VALUE).lines(NOW);
    }

    /** A tensor of 1,000 rows on two servers, of which those here are there. */
    private static TensorSummary tensor(String name, int... servers) {
        return new TensorSummary(
                new TensorInfo(TensorId.of(name), 1000, 16),
                "Add[scale=1.0]",
                "",
                Arrays.stream(servers)
                        .mapToObj(server ->
                                new TensorSummary.Part(server, "host", 1, 500, new ShardBytes(32_000, 0, 0, 0)))
                        .toList());
    }

    @Test
    void aClusterThatIsWholeIsPrinted() {
        assertThat(lines(status(CLUSTER, List.of(tensor("items", 0, 1)), List.of(), Duration.ofSeconds(1)), null))
                .containsExactly(
                        "cluster ctr: job, 2 of 2 servers, 2 of 2 workers, for 3 h 7 min",
                        "newest checkpoint: step 1,200 of ctr, 4 min ago",
                        "NODE    RANK  ADDRESS          TENSORS    LIMIT  STATE",
                        "server     0  127.0.0.1:4081  31.3 KiB  1.0 GiB  present",
                        "server     1  127.0.0.1:4082  31.3 KiB  1.0 GiB  present",
                        "worker     0  -                      -        -  present",
                        "worker     1  -                      -        -  present",
                        "",
                        "TENSOR   ROWS  WIDTH  SLICES    VALUES  SLOTS  OTHER  OPTIMIZER",
                        "items   1,000     16  2 host  62.5 KiB    0 B    0 B  Add[scale=1.0]");
    }

    @Test
    void theNewestReportOfEachTagIsPrinted() {
        ClusterStatus none = status(CLUSTER, List.of(), List.of(), Duration.ofSeconds(1));
        ClusterStatus status = new ClusterStatus(
                none.cluster(),
                none.checkpoints(),
                none.tensors(),
                none.statistics(),
                List.of(
                        series("auc", 0, 20, Double.NaN),
                        series("loss", 0, 1999, .5),
                        series("loss", 1, 2000, .012345)));
        assertThat(lines(status, null)).contains("reported: auc NaN at step 20, loss 0.01235 at step 2,000");
        assertThat(status.json())
                .contains("\"reports\":[{\"tag\":\"auc\",\"worker\":0,\"steps\":[0, 20],\"values\":[9.0,null]},");
    }

    @Test
    void whatAClusterThatHasLostServersStillHasIsPrinted() {
        ClusterSummary half = new ClusterSummary(
                new ClusterSummary.Plan("", true, 3, 2),
                Duration.ofSeconds(12),
                List.of(new Member(Role.SERVER, 0, "127.0.0.1", 4081)),
                List.of(
                        new ClusterSummary.LostNode(
                                new Member(Role.SERVER, 1, "127.0.0.1", 4082), "its connection ended", true),
                        new ClusterSummary.LostNode(
                                new Member(Role.SERVER, 2, "127.0.0.1", 4083), "silent for 4000 ms", false)),
                List.of());
        ClusterStatus status = status(half, List.of(tensor("items", 0)), List.of(), Duration.ofSeconds(1));
        assertThat(lines(status, null))
                .contains(
                        "cluster: service, 1 of 3 servers, 0 workers, for 12 s",
                        "servers 1, 2 are missing: the sums below are without the rows there",
                        "server     1  127.0.0.1:4082         -        -  awaited: its connection ended",
                        "server     2  127.0.0.1:4083         -        -  lost: silent for 4000 ms",
                        "items   500 of 1,000     16  1 host  31.3 KiB    0 B    0 B  Add[scale=1.0]");
        assertThat(status.json())
                .contains(
                        "\"cluster\":{\"name\":\"\",\"service\":true,\"servers\":3,\"workers\":2,\"ageMillis\":12000}",
                        "\"lost\":[{\"role\":\"server\",\"rank\":1,\"awaited\":true,\"reason\":\"its connection"
                                + " ended\"},",
                        "\"checkpoints\":[{\"model\":\"ctr\",\"step\":1200,\"saved\":\"2026-01-02T02:59:55Z\"}]",
                        "\"memory\":[{\"server\":0,\"bytes\":32000,\"most\":1073741824}]",
                        "\"rows\":500,\"allRows\":1000,");
    }

    @Test
    void theFirstRowsOfEachTableFitATerminalOf24Lines() {
        List<Member> many = new ArrayList<>();
        List<TensorSummary> tensors = new ArrayList<>();
        List<FunctionStatistics> functions = new ArrayList<>();
        for (int i = 1; i < 1002; i++) {
            many.add(new Member(Role.SERVER, i, "127.0.0.1", 4081));
            tensors.add(tensor("w" + i, 0, 1));
            functions.add(function("acme.f" + i, 1, 1, 1));
        }
        ClusterSummary large = new ClusterSummary(
                new ClusterSummary.Plan("", false, 1002, 1), Duration.ofDays(50), many, List.of(), List.of());
        List<String> lines =
                new StatusTables(status(large, tensors, functions, Duration.ofSeconds(1)), null, 4).lines(NOW);
        assertThat(lines)
                .hasSizeLessThanOrEqualTo(24)
                .contains("server 0 is missing: the sums below are without the rows there");
        assertThat(lines.stream().filter(".. and 997 more (--top 0)"::equals)).hasSize(3);
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
        List<String> lines = lines(second, first);
        assertThat(lines)
                .anyMatch(line -> line.matches("acme.a +1,500 +200 +4.0 MiB .*"))
                .anyMatch(line -> line.matches("acme.new +5 +2.0 +4 B .*"))
                .contains("counted for 12.5 s, rates and times of the last 2.5 s")
                .noneMatch(line -> line.startsWith("psf."));
        assertThat(lines(first, null)).anyMatch(line -> line.matches("acme.a +1,000 +100 +102 KiB .*"));
        assertThat(lines(first, second))
                .as("the servers count anew")
                .anyMatch(line -> line.matches("acme.a +1,000 +100 +102 KiB .*"))
                .contains("counted for 10.0 s, rates and times of the last 10.0 s");
    }

    @Test
    void timesHaveTheUnitThatAPersonReads() {
        assertThat(lines(counted(1, function("acme.a", 1, 1, 1)), null))
                .anyMatch(line -> line.matches("acme.a .* 1.7 ms +86.0 us +1.7 ms"));
    }

    @Test
    void aFunctionThatDidNotRunSinceTheLastPrintHasNoTimes() {
        ClusterStatus status = counted(1, function("acme.a", 1, 1, 1));
        assertThat(lines(status, status)).anyMatch(line -> line.matches("acme.a +1 +0.0 +0 B +- +- +-"));
    }

    @Test
    void theMostFrequentFunctionIsTheFirst() {
        List<String> lines = lines(
                counted(1, function("acme.a", 1, 1, 1), function("acme.b", 3, 1, 1), function("acme.c", 3, 1, 1)),
                null);
        assertThat(lines.stream().filter(line -> line.startsWith("acme.")).map(line -> line.substring(0, 6)))
                .containsExactly("acme.b", "acme.c", "acme.a");
    }

    @Test
    void everyLineOfAClusterWithManyLongNamesFitsATerminal() {
        FunctionStatistics huge = new FunctionStatistics(
                "acme." + "very-long-name.".repeat(10) + "end",
                new TreeMap<>(Map.of("OK", Long.MAX_VALUE / 2, "INTERNAL", Long.MAX_VALUE / 4)),
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Latency.of(999_499_999, 999_949),
                Latency.of(99_960, 999_960, 999_999_000_000L),
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
                status = status(now.cluster(), now.tensors(), List.of(huge), Duration.ofSeconds(1));
            }
        }
        List<String> lines = lines(status, null);
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
        assertThat(lines).anyMatch(line -> line.matches("acme.*\\.\\..*end .* 2.3 E .*( +[0-9.]+ (us|ms|s)){3}"));
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
