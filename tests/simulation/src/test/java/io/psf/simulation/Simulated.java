package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.simulation.agent.SimulationAgent;

/** What the tests of this module need. */
final class Simulated {
    private Simulated() {}

    /**
     * Skips the test on a JDK that cannot simulate: the sentence is in the counts of the build. A missing agent is a
     * failure.
     */
    static void require() {
        assumeTrue(
                Runtime.version().feature() >= 25,
                () -> SimulationAgent.missing() + "; .ci/run runs these tests where there is one");
        assertThat(SimulationAgent.isLoaded()).as(SimulationAgent.missing()).isTrue();
    }

    /** Runs a plan, and returns it as one that holds. */
    static Outcome holds(Plan plan) {
        Outcome outcome = Simulation.run(plan);
        assertThat(outcome.failure()).as(plan.command()).isNull();
        return outcome;
    }
}
