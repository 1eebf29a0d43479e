package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Seeds over all workloads. A failure names the line that repeats it. */
@Timeout(600)
class SeedsTest {
    @BeforeEach
    void requireSimulation() {
        Simulated.require();
    }

    @Test
    void everySeedHolds() {
        requireAll(0, Integer.getInteger("psf.simulation.seeds"));
    }

    @Test
    @Tag("long")
    @Timeout(3600)
    void tenThousandSeedsHold() {
        requireAll(1_000, 11_000);
    }

    private static void requireAll(long from, long to) {
        List<Outcome> failed = new ArrayList<>();
        for (long seed = from; seed < to; seed++) {
            Outcome outcome = Simulation.run(Plan.of(seed));
            if (outcome.failure() != null) {
                failed.add(outcome);
            }
        }
        assertThat(failed.stream().map(each -> Plan.of(each.plan().seed()).command() + "\n" + each))
                .isEmpty();
    }
}
