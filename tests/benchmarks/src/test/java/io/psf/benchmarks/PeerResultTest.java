package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PeerResultTest {
    private static final String PULL = "sparse pull 16 wide, uniform, 1 outstanding";
    private static final String LATENCY = "latency of push 4 KB, p50";

    private static Line line(String name) {
        return PeerCases.matching(Pattern.compile(Pattern.quote(name))).get(0);
    }

    /** Returns the result of an alternation whose rounds have the given median, beside a floor of 10. */
    private static Result psf(String name, double median) {
        Line line = new Line(name, line(name).unit(), Goal.ratioAtLeast(0.45));
        return new Result(line, new double[] {median, median / 2, median * 2}, new double[] {10, 10, 10});
    }

    private static PeerFigures peer(String... lines) {
        return PeerFigures.parse(List.of(lines), 0);
    }

    private static PeerFigures pulls(double stdSort, double radix) {
        return peer(
                "sparse pull 16 wide 1 under way std::sort: " + stdSort + " M rows/s (1.00 to 9.00)",
                "sparse pull 16 wide 1 under way radix: " + radix + " M rows/s (1.00 to 9.00)");
    }

    @Test
    void linesAreParsedAndOthersAreIgnored() {
        PeerFigures figures = peer(
                "[04:05:06] src/van.cc:291: Bind to role=worker",
                "push 4096 p50 136.1 us p99 210.0 us",
                "pull 16777216 p50 9000 us",
                "sparse push 64 wide 4 under way std::sort: 3.25 M rows/s (3.00 to 4.00)",
                "sparse push 64 wide 4 under way radix: 4.50 M rows/s (3.00 to 4.00)",
                "sparse pull 64 wide 4 under way radix: 0.00 M rows/s (0.00 to 0.00)",
                "sparse pull 64 wide 4 under way quick: 1.00 M rows/s",
                "push 99999999999 p50 1.0 us",
                "push 65536 p50 nan us",
                "push 65536 p99 1.0 us");
        String pushed = "sparse push 64 wide, uniform, 4 outstanding";
        assertThat(figures.stdSort())
                .containsEntry(LATENCY, 136.1)
                .containsEntry("latency of pull 16 MB, p50", 9000.0)
                .containsEntry(pushed, 3.25)
                .hasSize(3);
        assertThat(figures.radix())
                .containsEntry(LATENCY, 136.1)
                .containsEntry("latency of pull 16 MB, p50", 9000.0)
                .containsEntry(pushed, 4.5)
                .hasSize(3);
    }

    @Test
    void theRatioIsTheMedianOverTheAlternationsToTheBetterWay() {
        PeerResult result = PeerResult.of(
                line(PULL),
                List.of(psf(PULL, 20), psf(PULL, 30), psf(PULL, 33)),
                List.of(pulls(5, 10), pulls(10, 5), pulls(5, 11)));
        assertThat(result.psf().oursMedian()).isEqualTo(30);
        assertThat(result.psf().floorMedian()).isEqualTo(10);
        assertThat(Result.median(result.stdSort())).isEqualTo(5);
        assertThat(Result.median(result.radix())).isEqualTo(10);
        assertThat(result.beside().ratio()).isEqualTo(3);
        assertThat(result.beside().least()).isEqualTo(2);
        assertThat(result.beside().greatest()).isEqualTo(3);
        assertThat(result.beside().verdict()).as("2 within 3 percent").isEqualTo(Goal.Verdict.UNDECIDED);
    }

    @Test
    void aLatencyIsBetterIfItIsLess() {
        PeerFigures peer = peer("push 4096 p50 60.0 us");
        PeerResult better = PeerResult.of(line(LATENCY), List.of(psf(LATENCY, 20)), List.of(peer));
        assertThat(better.beside().ratio()).isEqualTo(3);
        assertThat(better.beside().verdict()).isEqualTo(Goal.Verdict.MET);
        PeerResult worse = PeerResult.of(line(LATENCY), List.of(psf(LATENCY, 120)), List.of(peer));
        assertThat(worse.beside().ratio()).isEqualTo(0.5);
        assertThat(worse.beside().verdict()).isEqualTo(Goal.Verdict.MISSED);
    }

    @Test
    void oneWayIsEnough() {
        PeerFigures radix = peer("sparse pull 16 wide 1 under way radix: 4.00 M rows/s");
        PeerResult result = PeerResult.of(line(PULL), List.of(psf(PULL, 20)), List.of(radix));
        assertThat(result.beside().ratio()).isEqualTo(5);
        assertThat(PeerReport.table(List.of(result)))
                .containsPattern("(?m)^" + PULL + " +20.0 +- +4.00 +10.0 Mrows/s +5.00  5.00 to 5.00 +>= 2  met$");
        assertThat(PeerReport.json(List.of(result))).contains("\"std_sort\": null, \"radix\": 4.000000");
    }

    @Test
    void aDisturbedPeerIsUndecided() {
        PeerFigures disturbed = PeerFigures.parse(List.of("push 4096 p50 60.0 us"), 0.5);
        PeerResult result = PeerResult.of(
                line(LATENCY),
                List.of(psf(LATENCY, 20), psf(LATENCY, 20)),
                List.of(disturbed, peer("push 4096 p50 60.0 us")));
        assertThat(result.beside().others()).isCloseTo(0.25, within(1e-9));
        assertThat(result.beside().verdict()).isEqualTo(Goal.Verdict.UNDECIDED);
    }

    @Test
    void jsonHasThePeersFiguresInEachObject() {
        PeerResult result =
                PeerResult.of(line(PULL), List.of(psf(PULL, 20), psf(PULL, 30)), List.of(pulls(5, 10), pulls(5, 10)));
        assertThat(PeerReport.json(List.of(result))).isEqualTo("""
                        [
                          {"case": "sparse pull 16 wide, uniform, 1 outstanding", "ours": 25.000000, "floor": 10.000000, \
                        "unit": "Mrows/s", "ratio": 2.500000, "goal": 0.450000, "goal_text": "ratio >= 0.45", \
                        "verdict": "met", "rounds": 2, "others": 0.000000, "spread": [2.000000, 3.000000], \
                        "peer": {"std_sort": 5.000000, "radix": 10.000000, "ratio": 2.500000, "spread": [2.000000, 3.000000], \
                        "goal": 2.000000, "goal_text": "ratio >= 2", "verdict": "undecided", "others": 0.000000}}
                        ]
                        """);
    }

    @Test
    void everyCaseIsOneOfPsfs() {
        List<Line> psf = Part.ONE_WORKER.cases(Transport.TCP).stream()
                .flatMap(c -> c.lines().stream())
                .toList();
        assertThat(PeerCases.all()).hasSize(16).allSatisfy(line -> {
            assertThat(psf)
                    .anyMatch(known ->
                            known.name().equals(line.name()) && known.unit().equals(line.unit()));
            assertThat(line.goal()).isNotNull();
        });
    }

    @Test
    void onlyTheMatchingCasesAreMeasured() {
        List<Line> selected = PeerCases.matching(WorkerTask.only("SPARSE.*16 wide, uniform"));
        assertThat(selected).hasSize(4);
        List<String> measured = Arrays.stream(Part.values())
                .map(part -> new WorkerTask(
                        part, Transport.TCP, Placement.FREE, Plan.of(false, 7, false), PeerCases.pattern(selected)))
                .flatMap(task -> WorkerTask.parse(task.arguments()).cases().stream())
                .flatMap(c -> c.lines().stream())
                .map(Line::name)
                .toList();
        assertThat(measured)
                .containsExactlyInAnyOrderElementsOf(
                        selected.stream().map(Line::name).toList());
        assertThatThrownBy(() -> PeerCases.matching(WorkerTask.only("zipf")))
                .hasMessageContaining("--only: zipf fits no case that a peer measures (expected: ")
                .hasMessageContaining(LATENCY);
    }

    @Test
    void theGoalsAreThoseOfTheDocumentation() {
        double[] bounds = PeerCases.all().stream()
                .filter(line -> line.name().startsWith("sparse"))
                .mapToDouble(line -> line.goal() == null ? 0 : line.goal().bound())
                .toArray();
        assertThat(bounds).containsExactly(2, 1.6, 1.3, 1.3, 1.5, 1.3, 1.3, 1.3);
        assertThat(IntStream.range(0, 8).mapToObj(i -> PeerCases.all().get(i)))
                .allMatch(line -> line.goal() != null && line.goal().bound() == 1);
    }
}
