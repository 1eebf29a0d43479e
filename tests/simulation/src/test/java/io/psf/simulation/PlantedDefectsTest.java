package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.simulation.agent.Plant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each defect that is put into psf is found. A workload that finds it no more has to be mended. */
@Timeout(600)
class PlantedDefectsTest {
    private static final int MOST = 1_000;
    /** They take most of the seeds, and are left out of the tests by default. */
    private static final Set<String> RARE = Set.of("journal-begun-unforced", "journal-not-forced", "resent-unsorted");

    @BeforeEach
    void requireSimulation() {
        Simulated.require();
    }

    static List<Plant> defects() {
        boolean all = Integer.getInteger("psf.laws.times", 1) > 1;
        return Plant.all().stream()
                .filter(each -> all || !RARE.contains(each.name()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("defects")
    void aDefectIsFound(Plant defect) {
        Optional<Outcome> found = LongStream.range(0, MOST)
                .mapToObj(seed -> Simulation.run(Plan.of(seed).of(defect.workload()), defect))
                .filter(each -> each.failure() != null)
                .findFirst();
        assertThat(found).as(defect.name() + ": " + defect.what()).isPresent();
        // A line of the table in docs/simulation.md.
        System.out.println("| `" + defect.name() + "` | " + defect.what() + " | `" + defect.workload() + "` | "
                + (found.orElseThrow().plan().seed() + 1) + " |");
    }
}
