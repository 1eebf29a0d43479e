package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OverallProgressTest {
    private final OverallProgress overall = new OverallProgress(3, 6);

    private long done(int rank, int epoch, int step, double rate) {
        overall.add(new Progress(rank, epoch, step, 100, 0.25, 0, rate));
        return overall.done();
    }

    @Test
    void aTrainingThatContinuesBeginsWhereAllWorkersDo() {
        assertThat(done(1, 3, 20, 10)).isEqualTo(3 * 200 + 20);
        assertThat(done(0, 3, 20, 10)).isEqualTo(3 * 200 + 40);
        assertThat(done(1, 3, 40, 10)).isEqualTo(3 * 200 + 60);
        assertThat(done(2, 3, 20, 10)).isEqualTo(3 * 200 + 80);
        assertThat(done(1, 4, 20, 10)).isEqualTo(3 * 200 + 160);
        for (int rank = 0; rank < 3; rank++) {
            assertThat(done(rank, 6, 100, 10)).isLessThanOrEqualTo(overall.total(100));
        }
        assertThat(overall.done()).isEqualTo(overall.total(100)).isEqualTo(1800);
    }

    @Test
    void aNewTrainingBeginsAtZero() {
        assertThat(done(0, 1, 20, 10)).isEqualTo(20);
        assertThat(done(1, 1, 20, 10)).isEqualTo(40);
    }

    /** The bar would be shorter whenever the text is longer, as if there were less progress. */
    @Test
    void theTextBesideTheBarKeepsItsLength() {
        overall.add(new Progress(0, 1, 20, 100, 0.25, 0, 7));
        int length = overall.state().length();
        assertThat(overall.state()).isEqualTo("loss 0.2500            7 examples/s");
        overall.add(new Progress(0, 1, 20, 100, 0.25, 0, 12_345_678));
        assertThat(overall.state())
                .isEqualTo("loss 0.2500   12,345,678 examples/s")
                .hasSize(length);
    }
}
