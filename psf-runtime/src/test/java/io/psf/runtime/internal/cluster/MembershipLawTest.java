package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random histories of a cluster: its members are those of the {@link MembershipModel} after every step. */
final class MembershipLawTest {
    private static final int HISTORIES = 300 * Integer.getInteger("psf.laws.times", 1);
    private static final int STEPS = 80;

    private static List<MembershipSteps.Step> steps(Random random) {
        List<MembershipSteps.Step> steps = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            steps.add(MembershipSteps.Step.random(random));
        }
        return steps;
    }

    /** Runs a history. Returns what was wrong; null if nothing was. */
    private static @Nullable Throwable failure(long seed, List<MembershipSteps.Step> steps) {
        try {
            new MembershipSteps(new Random(seed)).run(steps);
            return null;
        } catch (Exception | AssertionError e) {
            return e;
        }
    }

    /** Leaves steps out as long as what remains fails. */
    private static List<MembershipSteps.Step> shrunk(long seed, List<MembershipSteps.Step> steps) {
        List<MembershipSteps.Step> least = steps;
        for (int at = least.size() - 1; at >= 0; at--) {
            List<MembershipSteps.Step> fewer = new ArrayList<>(least);
            fewer.remove(at);
            if (failure(seed, fewer) != null) {
                least = fewer;
                at = Math.min(at, least.size());
            }
        }
        return least;
    }

    @Test
    void theMembersAreThoseOfTheModelAfterEveryStep() {
        int[] seen = new int[MembershipSteps.Seen.values().length];
        for (long seed = 0; seed < HISTORIES; seed++) {
            List<MembershipSteps.Step> steps = steps(new Random(~seed));
            MembershipSteps run = new MembershipSteps(new Random(seed));
            try {
                run.run(steps);
            } catch (Exception | AssertionError e) {
                List<MembershipSteps.Step> least = shrunk(seed, steps);
                throw new AssertionError("seed " + seed + ", " + run + ": " + least, failure(seed, least));
            }
            for (MembershipSteps.Seen each : run.seen()) {
                seen[each.ordinal()]++;
            }
        }
        for (MembershipSteps.Seen each : MembershipSteps.Seen.values()) {
            System.out.println(seen[each.ordinal()] + " of " + HISTORIES + " histories: " + each);
            assertThat(seen[each.ordinal()]).as("histories with %s", each).isGreaterThan(HISTORIES / 100);
        }
    }
}
