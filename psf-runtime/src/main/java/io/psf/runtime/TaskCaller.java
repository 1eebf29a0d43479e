package io.psf.runtime;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.ForwardingCaller;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.call.TaskSteps;
import io.psf.runtime.internal.server.invocation.ReceivedStep;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of one attempt of a task, which another system runs again if it fails or is slow, such as a task of
 * Spark. Each call of a function that runs on shards and changes something is the next step of the task. A slice runs a
 * step of a task once, whichever attempt sends it first. A repeated one is answered without being run.
 *
 * <pre>{@code
 * TaskCaller task = client.task(TaskCaller.number("job-17", "stage 3", "partition 12"));
 * for (Batch batch : partition) {
 *     float[] weights = Tensors.pull(task, w);
 *     Tensors.push(task, w, gradient(batch, weights)).await();
 * }
 * }</pre>
 *
 * <p><b>Promised.</b> All attempts make the same changes in the same order. Then each slice has each change once,
 * however many attempts there are, one after another or at the same time; through connections that break and slices
 * that move; and if a lost server's slices come from a checkpoint, once the task has been run again. A slice has the
 * steps of the {@link #KNOWN_TASKS} tasks that changed it last.
 *
 * <p><b>Not promised.</b> If an attempt computes another update, each slice has, for each step, the update of the
 * attempt that came first. Steps behind the last one of the other attempts are run. Calls on nodes are not steps: each
 * attempt's call runs. {@link Client#task(long, java.util.function.BooleanSupplier)} is for such attempts.
 *
 * <p>A function that changes something and whose response has components is refused: use a push and then a pull. Of a
 * task 64 changes are under way at a time; a further call blocks until the first of them has ended. A change that has
 * failed is a failure of the attempt: after 63 further ones no change is sent, and calls fail with that failure. {@link
 * #awaitChanges} comes before an attempt counts as successful. If a slice has lost a change that an attempt has made,
 * the attempt's later changes fail with {@code ROLLED_BACK}. A handler that answers later has run when it has answered:
 * one whose caller is gone before that runs again. A tensor that was loaded with other slices than it was saved with
 * begins without steps.
 *
 * <p>Read-only calls, and all other methods, are forwarded to the client or worker, and cost the same. Each attempt
 * makes a caller of its own; nothing needs to be closed. Thread-safe, but the steps have the order of the calls: if
 * several threads make changes, attempts differ.
 */
public final class TaskCaller extends ForwardingCaller {
    /** The number of tasks whose steps a slice knows. */
    public static final int KNOWN_TASKS = ReceivedStep.MOST_TASKS;

    private final ConnectedCaller caller;
    private final TaskSteps steps;

    TaskCaller(ConnectedCaller caller, TaskSteps steps) {
        this.caller = caller;
        this.steps = steps;
    }

    /**
     * Returns the number of the task that some texts name, such as an application, a stage and a partition: 64 bits of
     * their SHA-256, never 0. The texts do not name the attempt.
     */
    public static long number(String... parts) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256: missing (expected: in every JDK)", e);
        }
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
        }
        long number = ByteBuffer.wrap(digest.digest()).getLong();
        return number == 0 ? 1 : number;
    }

    /**
     * True if the calls of a function are steps.
     *
     * @throws PsException with {@code BAD_REQUEST} if they would be, but a repeated one could not be answered
     */
    static boolean isStep(FunctionInfo info) {
        if (info.readOnly() || info.place() != Place.SHARD) {
            return false;
        }
        try {
            ReceivedStep.requireAllowed(info);
        } catch (PsException e) {
            throw e.at(info.name(), null, null, null);
        }
        return true;
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return isStep(function.info())
                ? steps.send(step -> caller.prepare(function, request, into, options, step), caller::start)
                : caller.call(function, request, into, options);
    }

    /**
     * Returns a chain with at most one call that changes something, which is the task's next step when the chain is
     * sent.
     */
    public Chain chain() {
        return new Chain(caller, steps);
    }

    /**
     * Blocks until all changes of this attempt have ended. An attempt that has called it has made all of them, awaited
     * or not.
     *
     * @throws PsException the failure of the first failed change
     */
    public void awaitChanges() {
        steps.await();
    }

    @Override
    protected ClusterCaller to() {
        return caller;
    }
}
