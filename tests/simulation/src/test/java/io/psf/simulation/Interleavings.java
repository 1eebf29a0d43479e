package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.simulation.machine.Machine;
import io.psf.simulation.world.Tasks;
import java.util.concurrent.TimeUnit;

/** Runs code in orders that seeds draw: threads are also switched between two accesses of code without locks. */
public final class Interleavings {
    private static final Machine.Bounds BOUNDS = new Machine.Bounds(20_000, TimeUnit.HOURS.toNanos(1));
    private static final int SEEDS = 1_000;
    private static final int SWITCHES = 250;

    private final Machine machine;
    private final Tasks tasks = new Tasks();

    private Interleavings(Machine machine) {
        this.machine = machine;
    }

    /** What is run once for each seed. */
    @FunctionalInterface
    public interface Scenario {
        void run(Interleavings threads) throws Exception;
    }

    /** Runs a scenario in many orders. It fails if it throws in one of them, or does not end. */
    public static void check(Scenario scenario) {
        Simulated.require();
        for (long seed = 0; seed < SEEDS; seed++) {
            Machine machine = new Machine(seed, false);
            machine.switchAtPoints(SWITCHES);
            Throwable[] failure = new Throwable[1];
            Machine.End end = machine.run(BOUNDS, () -> {
                try {
                    scenario.run(new Interleavings(machine));
                } catch (Throwable e) {
                    failure[0] = e;
                }
            });
            assertThat(failure[0]).as("seed " + seed).isNull();
            assertThat(end).as("seed " + seed).isEqualTo(Machine.End.DONE);
            assertThat(machine.failures()).as("seed " + seed).isEmpty();
        }
    }

    /** Starts a thread. */
    public void start(Tasks.Body body) {
        tasks.on(machine.own(), body);
    }

    /** Waits for all threads. */
    public void await() throws InterruptedException {
        tasks.await();
    }
}
