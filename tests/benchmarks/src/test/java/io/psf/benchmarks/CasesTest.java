package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.psf.api.PsException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The catalogue, and what its floors and loads are made of. */
final class CasesTest {
    private static Stream<Line> lines(Transport transport) {
        return Arrays.stream(Part.values())
                .flatMap(part -> part.cases(transport).stream())
                .flatMap(c -> c.lines().stream());
    }

    @Test
    void everyLineHasANameOfItsOwn() {
        for (Transport transport : new Transport[] {Transport.TCP, Transport.NETTY}) {
            assertThat(lines(transport).map(Line::name)).doesNotHaveDuplicates().hasSizeGreaterThan(80);
        }
    }

    @Test
    void sharedMemoryHasGoalsOfItsOwn() {
        String p50 = "latency of push 4 KB, p50";
        assertThat(goal(Transport.TCP, p50)).isEqualTo("<= 1.35");
        assertThat(goal(Transport.SHM, p50 + ", shm")).isEqualTo("<= 8 us");
        assertThat(goal(Transport.SHM, "throughput of pull 1 MB, 8 outstanding, shm"))
                .isEqualTo(">= 3");
        assertThat(goal(Transport.SHM, "throughput of pull 16 MB, 8 outstanding, shm"))
                .isNull();
    }

    private static @Nullable String goal(Transport transport, String name) {
        Line line = DenseCases.all(transport).stream()
                .flatMap(c -> c.lines().stream())
                .filter(l -> l.name().equals(name))
                .findFirst()
                .orElseThrow();
        return line.goal() == null ? null : line.goal().text(line.unit());
    }

    @Test
    void aTaskReachesAWorkerAsItIs() {
        WorkerTask task = new WorkerTask(
                Part.ONE_WORKER,
                Transport.NETTY,
                Placement.APART,
                Plan.of(true, 9, false),
                WorkerTask.only("PUSH 4 KB.*p50"));
        WorkerTask told = WorkerTask.parse(task.arguments());
        assertThat(told.arguments()).isEqualTo(task.arguments());
        assertThat(told.plan()).isEqualTo(task.plan());
        assertThat(told.placement()).isEqualTo(Placement.APART);
        assertThat(told.cases().stream().flatMap(c -> c.lines().stream()).map(Line::name))
                .as("all lines of the cases that it fits")
                .containsExactly("latency of push 4 KB, p50, netty", "latency of push 4 KB, p99, netty");
        Result result = new Result(told.cases().get(0).lines().get(0), new double[] {2}, new double[] {1});
        assertThat(task.result("RESULT\t" + result.encode()).line()).isEqualTo(result.line());
    }

    @Test
    void casesWithoutAGoalAreLeftOutWhereOnlyGoalsAreAskedFor() {
        WorkerTask all = new WorkerTask(
                Part.ONE_WORKER, Transport.TCP, Placement.APART, Plan.of(false, 7, false), WorkerTask.only(""));
        WorkerTask goals = new WorkerTask(
                Part.ONE_WORKER, Transport.TCP, Placement.APART, Plan.of(false, 7, true), WorkerTask.only(""));
        assertThat(goals.cases())
                .hasSizeLessThan(all.cases().size())
                .allMatch(c -> c.lines().stream().anyMatch(line -> line.goal() != null));
        assertThat(all.cases().stream().flatMap(c -> c.lines().stream()).filter(line -> line.goal() != null))
                .containsExactlyElementsOf(goals.cases().stream()
                        .flatMap(c -> c.lines().stream())
                        .filter(line -> line.goal() != null)
                        .toList());
    }

    @Test
    void processorsAreReadAsTheSystemListsThem() {
        assertThat(Processors.parse("0-1")).containsExactly(0, 1);
        assertThat(Processors.parse("3")).containsExactly(3);
        assertThat(Processors.parse("0,2-4,8")).containsExactly(0, 2, 3, 4, 8);
    }

    @Test
    void nodesThatArePlacedApartAreOnDifferentProcessors() {
        assumeThat(Placement.APART.missing()).isNull();
        assertThat(Placement.APART.launcher("server 0"))
                .startsWith("taskset", "-c")
                .isNotEqualTo(Placement.APART.launcher("worker 0"));
        assertThat(Placement.TOGETHER.launcher("server 0")).isEqualTo(Placement.TOGETHER.launcher("worker 0"));
        assertThat(Placement.TOGETHER.environment()).containsEntry("PSF_SPIN_MICROS", "0");
        assertThat(Placement.FREE.launcher("server 0")).isEmpty();
    }

    @Test
    void theLoadOfOthersIsWhatIsNotOurs() {
        OtherLoad.Sample before = OtherLoad.Sample.of("cpu  100 0 50 1000 0 0 0 0 0 0", 120);
        OtherLoad.Sample after = OtherLoad.Sample.of("cpu  150 0 70 1100 0 10 10 10 0 0", 160);
        assertThat(after.othersSince(before)).isEqualTo((50 + 20 - 40) / 200.0);
        assertThat(before.othersSince(before)).isZero();
    }

    @Test
    void whatOtherVirtualMachinesTakeIsStolen() {
        Stolen before = Stolen.of("cpu  100 0 50 1000 0 0 0 7 0 0");
        Stolen after = Stolen.of("cpu  150 0 70 1100 0 10 10 17 0 0");
        assertThat(after.since(before)).isEqualTo(10 / 200.0);
        assertThat(before.since(before)).isZero();
    }

    @Test
    void keysAreUnsortedWithinTheTableAndZipfRepeatsThem() {
        for (Keys keys : Keys.values()) {
            long[] batch = keys.draw(1_000_000, 10_000)[0];
            assertThat(Arrays.stream(batch).allMatch(key -> key >= 0 && key < 1_000_000))
                    .as(keys.toString())
                    .isTrue();
            assertThat(batch).isNotEqualTo(Arrays.stream(batch).sorted().toArray());
        }
        assertThat(distinct(Keys.UNIFORM)).isBetween(9_900L, 9_999L);
        assertThat(distinct(Keys.ZIPF)).isBetween(4_000L, 8_000L);
    }

    private static long distinct(Keys keys) {
        return Arrays.stream(keys.draw(1_000_000, 10_000)[0]).distinct().count();
    }

    @Test
    void floorsDoTheWork() {
        float[] table = {0, 1, 2, 3, 4, 5};
        float[] rows = new float[4];
        Floors.gather(table, 2, new long[] {2, 0}, rows);
        assertThat(rows).containsExactly(4, 5, 0, 1);
        Floors.scatter(table, 2, new long[] {1, 1}, new float[] {1, 2, 3, 4}, 0.5f);
        assertThat(table).containsExactly(0, 1, 0, 0, 4, 5);
        Floors.saxpy(rows, 2, new float[] {1, 1, 1, 1});
        assertThat(rows).containsExactly(6, 7, 2, 3);
    }

    @Test
    void growthIsSeenAndTheWayToTheLevelIsNot() {
        assertThat(Trend.isFlat(new double[] {1, 5, 9, 10, 10, 10, 10, 10, 10}, 0.05, 0))
                .isTrue();
        assertThat(Trend.isFlat(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.05, 0))
                .isFalse();
        assertThat(Trend.isFlat(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.05, 3))
                .isTrue();
        assertThatThrownBy(() -> Trend.isFlat(new double[5], 0, 0)).hasMessage("samples: 5 (expected: >= 6)");
    }

    @Test
    void durationsAreReadAndNonsenseIsNamed() {
        assertThat(BenchCommand.duration("30m")).isEqualTo(Duration.ofMinutes(30));
        assertThat(BenchCommand.duration("90s")).isEqualTo(Duration.ofSeconds(90));
        for (String nonsense : List.of("1s", "-5m", "soon", "")) {
            assertThatThrownBy(() -> BenchCommand.duration(nonsense))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("--soak: " + nonsense);
        }
    }
}
