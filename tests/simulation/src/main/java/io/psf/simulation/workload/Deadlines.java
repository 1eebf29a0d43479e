package io.psf.simulation.workload;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Workers call a handler that answers after a time, with a deadline before or after it, and cancel some of the calls.
 * Each call ends by its deadline: with an answer, which is not earlier than the handler gives it, with {@code
 * TIMED_OUT}, or {@code CANCELLED}.
 */
public final class Deadlines implements Workload {
    /** The timer of a node looks at deadlines every 50 ms; clocks may run at half the speed; processes are stopped. */
    private static final long SLACK_MILLIS = 200;

    @Override
    public String name() {
        return "deadlines";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.NONE);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.HARMLESS;
    }

    @Override
    public void run(World world) throws Exception {
        TensorId tensor = Tensors.init(
                world.workers().get(0).get(),
                TensorSpec.dense("tensor", 8).slices(world.shape().servers()));
        Team.run(world, (rank, worker) -> call(world, worker, tensor));
    }

    private static void call(World world, Worker worker, TensorId tensor) throws InterruptedException {
        SplittableRandom random = world.random("calls of " + worker.rank());
        for (int i = 0; i < world.calls(); i++) {
            world.think();
            int takes = random.nextInt(400);
            int deadline = 1 + random.nextInt(600);
            long began = world.machine().millis();
            Pending<?> call = LaterPsf.stub(worker)
                    .withDeadline(Duration.ofMillis(deadline))
                    .call(tensor, takes);
            boolean isCancelled = random.nextInt(4) == 0 && call.cancel();
            Code outcome = outcome(call);
            long millis = world.machine().millis() - began;
            boolean isAllowed =
                    isCancelled ? outcome == Code.CANCELLED : outcome == Code.OK || outcome == Code.TIMED_OUT;
            // The clock of a server may be fast, and a worker's clock slow.
            boolean isInTime = millis <= 2L * deadline + SLACK_MILLIS + world.silenceMillis();
            boolean isEarly = outcome == Code.OK && millis < takes / 2;
            if (!isAllowed || !isInTime || isEarly) {
                throw new Violation("a call that takes " + takes + " ms with a deadline of " + deadline + " ms"
                        + (isCancelled ? ", cancelled" : "") + ": " + outcome + " after " + millis
                        + " ms (expected: an answer, or an end by the deadline)");
            }
        }
    }

    private static Code outcome(Pending<?> call) {
        try {
            call.await();
            return Code.OK;
        } catch (PsException e) {
            return e.code();
        }
    }
}
