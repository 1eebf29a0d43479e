package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.PlannedFault;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
    private record Nothing() implements Fault {
        @Override
        public void happen(World world) {}

        @Override
        public boolean mayLose() {
            return false;
        }
    }

    private static Outcome outcome(Plan plan, boolean fails) {
        List<Integer> numbers =
                plan.faults() == null ? IntStream.range(0, 8).boxed().toList() : plan.faults();
        List<PlannedFault> faults = numbers.stream()
                .map(each -> new PlannedFault(each, 0, new Nothing()))
                .toList();
        int calls = plan.calls() == 0 ? 50 : plan.calls();
        return new Outcome(plan, "none", faults, calls, fails ? "failed" : null, 0, 0, 0, List.of());
    }

    private static String least(Predicate<Outcome> fails) {
        Outcome least = Shrinker.shrink(outcome(Plan.of(7), true), plan -> {
            Outcome outcome = outcome(plan, false);
            return fails.test(outcome) ? outcome(plan, true) : outcome;
        });
        return least.plan().command();
    }

    private static boolean has(Outcome outcome, int... numbers) {
        return IntStream.of(numbers).allMatch(each -> outcome.faults().stream().anyMatch(its -> its.number() == each));
    }

    @Test
    void twoOfEightFaultsAreLeft() {
        assertThat(least(each -> has(each, 2, 7))).isEqualTo("./psf simulate --seed 7 --faults 2,7 --calls 1");
    }

    @Test
    void callsThatMatterAreLeft() {
        assertThat(least(each -> has(each, 0) && each.calls() >= 13))
                .isEqualTo("./psf simulate --seed 7 --faults 0 --calls 13");
    }

    @Test
    void aFailureWithoutFaultsHasNone() {
        assertThat(least(each -> true)).isEqualTo("./psf simulate --seed 7 --faults none --calls 1");
    }

    @Test
    void whatFailsAsAWholeAloneStaysWhole() {
        assertThat(least(each -> each.faults().size() == 8 && each.calls() == 50))
                .isEqualTo("./psf simulate --seed 7");
    }
}
