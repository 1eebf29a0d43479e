package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.Restore;
import io.psf.builtin.checkpoint.HoldModelPsf;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.checkpoint.ReleaseModelPsf;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on the checkpoints of a model that a client does alone: it holds the model meanwhile. The hold of a client that
 * has ended is over after a while, since it renews it no longer.
 *
 * @param name the model's name
 */
record LoneWork(ClusterCaller client, String name) {
    private static final Logger LOG = LoggerFactory.getLogger(LoneWork.class);
    private static final long SERVER = ModelCalls.SERVER;
    private static final long RENEWAL_SECONDS = 5;

    /**
     * Saves the model, unless slices of it have gone back to a checkpoint that the client has not loaded.
     *
     * @param what the work, for messages
     * @param records the client's record
     * @param save saves, and returns the step
     */
    void save(String what, List<RecordEntry> records, ToLongFunction<ModelCalls.SavePart> save) {
        RecordEntry.requireFit(records);
        var unused = run(what, hold -> {
            client.requireNotRolledBack(); // before anything is discarded
            return save.applyAsLong(new ModelCalls.SavePart(-1, records, hold, client::requireNotRolledBack));
        });
    }

    /** Loads the model. An earlier rollback does not matter from then on. */
    long load(String what, LongSupplier load) {
        return run(what, hold -> {
            client.takeRollback();
            requireHeld(what, hold); // else the server was lost with it, perhaps before the rollback that was noted
            long step = load.getAsLong();
            if (step < 0) { // nothing to load: of another model's rollback, none is due any more
                client.restoreFrom("", Restore.ALL, true);
            }
            requireHeld(what, hold); // else workers have come, and have changed the tensors meanwhile
            return step;
        });
    }

    /**
     * Does work once no other client holds the model. Blocks until then, and fails if workers are there.
     *
     * @param work receives the number of the hold and returns the step
     */
    private long run(String what, LongUnaryOperator work) {
        client.awaitAll();
        long hold = hold(what, 0);
        CountDownLatch done = new CountDownLatch(1);
        Thread renewal = new Thread(() -> renew(what, hold, done), "psf-checkpoint-hold");
        renewal.setDaemon(true);
        renewal.start();
        try {
            return work.applyAsLong(hold);
        } catch (PsException e) {
            throw whyItEnded(e);
        } finally {
            done.countDown();
            release(hold);
        }
    }

    /**
     * Returns why work failed: a server that is new holds nothing, but what matters is that its slices have gone back.
     */
    private PsException whyItEnded(PsException failure) {
        if (failure.code() != PsException.Code.UNAVAILABLE) {
            return failure;
        }
        try {
            client.requireNotRolledBack();
        } catch (PsException e) {
            if (e.code() == PsException.Code.ROLLED_BACK) {
                e.addSuppressed(failure);
                return e;
            }
        }
        return failure;
    }

    private long hold(String what, long hold) {
        return HoldModelPsf.stub(client)
                .withDeadline(ModelCalls.LIMIT)
                .call(SERVER, name, what, hold)
                .await()
                .hold();
    }

    private void requireHeld(String what, long hold) {
        var unused = hold(what, hold);
    }

    private void renew(String what, long hold, CountDownLatch done) {
        try {
            while (!done.await(RENEWAL_SECONDS, TimeUnit.SECONDS)) {
                requireHeld(what, hold);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (PsException e) { // the work is refused by the server when it ends
            LOG.debug("hold {} of model \"{}\" is not renewed: {}", hold, name, e.getMessage());
        }
    }

    private void release(long hold) {
        try {
            ReleaseModelPsf.stub(client).call(SERVER, name, hold).await();
        } catch (PsException e) { // then the hold ends by itself
            LOG.debug("hold {} of model \"{}\" is not released: {}", hold, name, e.getMessage());
        }
    }
}
