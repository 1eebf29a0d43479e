package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ResultTest {
    private static final double[] NONE = {Double.NaN, Double.NaN, Double.NaN};

    private static Result result(@Nullable Goal goal, double... ours) {
        return new Result(new Line("a case", "us", goal), ours, new double[] {10, 10, 20});
    }

    @Test
    void theMedianIsTheMiddleOneOrTheMeanOfTheMiddleTwo() {
        assertThat(Result.median(new double[] {9, 1, 5})).isEqualTo(5);
        assertThat(Result.median(new double[] {9, 1, 5, 7})).isEqualTo(6);
        assertThat(Result.median(new double[] {3})).isEqualTo(3);
    }

    @Test
    void theRatioIsTheMedianOfTheRoundsNotTheRatioOfTheMedians() {
        Result result = result(null, 10, 30, 40);
        assertThat(result.ratio()).isEqualTo(2);
        assertThat(result.oursMedian() / result.floorMedian()).isEqualTo(3);
        assertThat(result.least()).isEqualTo(1);
        assertThat(result.greatest()).isEqualTo(3);
    }

    @Test
    void withoutAFloorTheSpreadIsOfOurOwnFigures() {
        Result result = new Result(new Line("a case", "MB", Goal.oursAtMost(8)), new double[] {7, 9, 8}, NONE);
        assertThat(result.hasFloor()).isFalse();
        assertThat(result.least()).isEqualTo(7);
        assertThat(result.greatest()).isEqualTo(9);
        assertThat(result.verdict()).isEqualTo(Goal.Verdict.UNDECIDED); // one is above
    }

    @Test
    void goalsAreComparedTheRightWayRound() {
        assertThat(result(Goal.ratioAtMost(2.1), 20, 20, 40).verdict()).isEqualTo(Goal.Verdict.MET);
        assertThat(result(Goal.ratioAtMost(1.9), 20, 20, 40).verdict()).isEqualTo(Goal.Verdict.MISSED);
        assertThat(result(Goal.ratioAtLeast(1.9), 20, 20, 40).verdict()).isEqualTo(Goal.Verdict.MET);
        assertThat(result(Goal.ratioAtLeast(2.1), 20, 20, 40).verdict()).isEqualTo(Goal.Verdict.MISSED);
        assertThat(result(Goal.oursAtMost(42), 20, 20, 40).verdict()).isEqualTo(Goal.Verdict.MET);
        assertThat(result(Goal.oursAtMost(19), 20, 20, 40).verdict()).isEqualTo(Goal.Verdict.MISSED);
        assertThat(result(null, 20, 20, 40).verdict()).isNull();
        assertThat(Goal.ratioAtLeast(0).verdict(Double.NaN, Double.NaN)).isEqualTo(Goal.Verdict.MISSED);
    }

    @Test
    void aGoalWithinWhatTheMedianMayBeIsOpen() {
        assertThat(result(Goal.ratioAtMost(2), 15, 20, 50).verdict()).isEqualTo(Goal.Verdict.UNDECIDED);
        assertThat(result(Goal.ratioAtMost(2), 20, 20, 40).verdict())
                .as("another run may come out a little above")
                .isEqualTo(Goal.Verdict.UNDECIDED);
        double[] floor = new double[28];
        double[] ours = new double[28];
        Arrays.fill(floor, 10);
        Arrays.fill(ours, 15);
        Arrays.fill(ours, 0, 4, 100);
        Line line = new Line("a case", "us", Goal.ratioAtMost(2));
        Result result = new Result(line, ours, floor);
        assertThat(result.verdict()).isEqualTo(Goal.Verdict.MET);
        assertThat(result.disturbedBy(0.5).verdict())
                .as("others took half of the machine")
                .isEqualTo(Goal.Verdict.UNDECIDED);
    }

    @Test
    void whatAWorkerTellsIsWhatItMeasured() {
        Result result = new Result(new Line("a case", "us", null), new double[] {1.5, 1e-7, 3}, NONE);
        String[] fields = result.encode().split("\t", -1);
        assertThat(fields[0]).isEqualTo("a case");
        assertThat(Result.decode(fields[1])).containsExactly(1.5, 1e-7, 3);
        assertThat(Result.decode(fields[2])).containsExactly(NONE);
    }

    @Test
    void aResultHasAsManyRoundsOfBoth() {
        Line line = new Line("a case", "us", null);
        assertThatThrownBy(() -> new Result(line, new double[2], new double[3])).hasMessageContaining("a case");
        assertThatThrownBy(() -> new Result(line, new double[0], new double[0])).hasMessageContaining("a case");
    }

    @Test
    void jsonHasEveryFieldAndNullsWhereThereIsNothing() {
        Result with = result(Goal.ratioAtMost(1.6), 10, 30, 40);
        Result without = new Result(new Line("another", "B/call", null), new double[] {1, 2, 3}, NONE);
        assertThat(Report.json(List.of(with, without))).isEqualTo("""
                        [
                          {"case": "a case", "ours": 30.000000, "floor": 10.000000, "unit": "us", "ratio": 2.000000, \
                        "goal": 1.600000, "goal_text": "ratio <= 1.6", "verdict": "undecided", "rounds": 3, "others": 0.000000, \
                        "spread": [1.000000, 3.000000]},
                          {"case": "another", "ours": 2.000000, "floor": null, "unit": "B/call", "ratio": null, \
                        "goal": null, "goal_text": null, "verdict": null, "rounds": 3, "others": 0.000000, "spread": [1.000000, 3.000000]}
                        ]
                        """);
    }

    @Test
    void theTableSaysWhatIsMetAndWhatIsNot() {
        String table = Report.markdown(
                List.of(result(Goal.ratioAtMost(1.6), 10, 30, 40), result(Goal.oursAtMost(42), 10, 30, 40)), "here");
        assertThat(table)
                .startsWith("here.\n")
                .contains("| a case | 30.0 us | 10.0 | 2.00 | 1.00 to 3.00 | <= 1.6  undecided |\n")
                .contains("| a case | 30.0 us | 10.0 | 2.00 | 1.00 to 3.00 | <= 42 us  met |\n");
        assertThat(Report.summary(List.of(result(Goal.oursAtMost(42), 10, 30, 40), result(null, 1, 1, 1))))
                .isEqualTo("1 of 1 goals met, 0 missed, 0 undecided");
    }
}
