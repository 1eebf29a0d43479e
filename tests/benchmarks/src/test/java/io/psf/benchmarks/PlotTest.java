package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlotTest {
    @Test
    void thePlotSaysWhereAndWhenItWasMeasuredAndWhatItsColoursMean() {
        Result result = new Result(new Line("a case", "us", null), new double[] {7, 9, 8}, new double[] {10, 10, 20});
        assertThat(Plot.svg(List.of(result), "2 cores", LocalDate.of(2026, 11, 28)))
                .contains(">2 cores, 2026-11-28<")
                .contains("amber undecided, grey without a goal")
                .contains(">a case<");
    }
}
