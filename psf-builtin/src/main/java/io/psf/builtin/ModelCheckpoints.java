package io.psf.builtin;

import io.psf.api.Caller;
import io.psf.api.ClusterCaller;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.Restore;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.DeleteModelPsf;
import io.psf.builtin.internal.checkpoint.ListModels;
import io.psf.builtin.internal.checkpoint.ListModelsPsf;
import io.psf.builtin.internal.checkpoint.LoadModelPsf;
import io.psf.builtin.internal.checkpoint.LoadScope;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.checkpoint.NewestModelsPsf;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.internal.checkpoint.SaveModelPsf;
import io.psf.builtin.internal.training.JoinModelPsf;
import io.psf.builtin.internal.training.MeetWorkers;
import io.psf.builtin.internal.training.ModelMeeting;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a model: of all its tensors, and of a record of each worker. The workers save and load together.
 *
 * <pre>{@code
 * ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "ctr").keep(3);
 * Optional<ModelCheckpoint> last = checkpoints.loadLatest();
 * long first = last.map(ModelCheckpoint::step).orElse(0L);
 * for (long step = first + 1; step <= steps; step++) {
 *     train(step);
 *     if (step % 1000 == 0) {
 *         checkpoints.save(step, Map.of("position", "" + position));
 *     }
 * }
 * }</pre>
 *
 * <p>{@code save}, {@code load} and {@code loadLatest} are called by every present worker, in the same order. Each
 * waits for the worker's own calls, then at a barrier. Then one worker makes the calls for all, and the others wait for
 * it.
 *
 * <p>A client saves and loads alone, where there are no workers ({@link Role#CLIENT}). It waits for its own calls and
 * for no other client: a checkpoint is of one moment only if nobody else changes the tensors while it is saved. It has
 * every push of all clients that was answered before. If two clients save or load a model at once, the second waits for
 * the first. A server that is lost meanwhile makes a save with {@link Restore#ALL} fail with {@code ROLLED_BACK}: what
 * the checkpoint would have is partly older than the rest, so nothing is saved, and the client loads the newest
 * checkpoint first. So does a load during which a server comes back. The training loops are for workers. Immutable.
 */
public final class ModelCheckpoints {
    private static final Logger LOG = LoggerFactory.getLogger(ModelCheckpoints.class);

    private final ClusterCaller worker;
    private final String name;
    private final int kept;
    /** The most increments that follow a checkpoint with all rows. */
    private final int increments;
    /** The tensors to save and load; empty for all. */
    private final List<TensorId> selected;

    /** The slices that go back to a checkpoint when a lost node comes back. */
    private final Restore restore;

    private final LocalState held;

    private ModelCheckpoints(
            ClusterCaller worker,
            String name,
            int kept,
            int increments,
            List<TensorId> selected,
            Restore restore,
            LocalState held) {
        this.worker = worker;
        this.name = name;
        this.kept = kept;
        this.increments = increments;
        this.selected = selected;
        this.restore = restore;
        this.held = held;
    }

    /**
     * Returns the checkpoints of a model with all tensors, of which the newest 3 are kept. Sends nothing.
     *
     * @param name the model's name, a path such as {@code ctr} below the servers' checkpoint directory ({@code
     *     PSF_CHECKPOINTS}, the same for all servers)
     */
    public static ModelCheckpoints at(ClusterCaller worker, String name) {
        return new ModelCheckpoints(worker, name, 3, 0, List.of(), Restore.ALL, new LocalState(List.of(), List.of()));
    }

    /**
     * Returns the newest saved steps of models, the newest first. Files of images are not looked at.
     *
     * @param models the models' names
     * @return the newest step of each model that has one
     */
    public static List<SavedStep> newest(Caller caller, List<String> models) {
        Map<String, SavedStep> found = new TreeMap<>();
        NewestModelsPsf.stub(caller)
                .call(models)
                .await()
                .steps()
                .forEach(each -> found.merge(
                        each.model(),
                        new SavedStep(each.model(), each.step(), Instant.ofEpochMilli(each.millis())),
                        (one, other) -> one.step() >= other.step() ? one : other));
        return found.values().stream()
                .sorted(Comparator.comparing(SavedStep::saved).reversed())
                .toList();
    }

    /**
     * Returns the same checkpoints, of which another number is kept.
     *
     * @param count the number of complete checkpoints that a save leaves, at least 1
     */
    public ModelCheckpoints keep(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("number of checkpoints to keep: " + count + " (expected: >= 1)");
        }
        return new ModelCheckpoints(worker, name, count, increments, selected, restore, held);
    }

    /**
     * Returns the same checkpoints, saved incrementally: after a save of all rows, up to {@code most} saves write only
     * the rows that were written to since the save before, and name its files. A save takes as long as those rows take,
     * whatever the size of the table: the shards mark them, from the first incremental save on, with a bit for each row.
     * A shard is saved with all rows if more than half of them were written to, if its range has changed, if its server
     * has neither saved nor loaded the step before, if it is in the memory of a device, or if an attachment does not
     * tell of which rows its state changes ({@link io.psf.api.Checkpointed#tellsChanges}). So is the save after a
     * skipped step. A damaged file makes all steps unusable that build on it.
     *
     * <p>A save keeps the newest step that shares no file with the newest one, too, beyond those to {@link #keep}: it
     * can be loaded if a file of the newest chain is damaged.
     *
     * @param most the maximum number of increments after a save of all rows, at least 0. A load reads the files of all
     *     of them
     */
    public ModelCheckpoints incremental(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("increments: " + most + " (expected: >= 0)");
        }
        return new ModelCheckpoints(worker, name, kept, most, selected, restore, held);
    }

    /** Returns the same checkpoints, of some tensors. */
    public ModelCheckpoints tensors(TensorId... tensors) {
        return new ModelCheckpoints(worker, name, kept, increments, List.of(tensors), restore, held);
    }

    /**
     * Returns the same checkpoints, with weights that are {@link Weights#reduced reduced}: a save first copies the
     * weights of one worker to the servers, and after a load each worker takes them from there.
     *
     * @param reduced all reduced weights of the model; weights on the servers may be among them
     */
    public ModelCheckpoints weights(Weights... reduced) {
        return new ModelCheckpoints(
                worker, name, kept, increments, selected, restore, new LocalState(List.of(reduced), held.caches()));
    }

    /**
     * Returns the same checkpoints, with caches of this worker: a save first flushes them, and after a load they are
     * empty, without unsent updates and with counters of 0.
     *
     * @param caches all open caches of the worker whose tables are saved; used by the thread that saves and loads
     */
    public ModelCheckpoints caches(EmbeddingCache... caches) {
        return new ModelCheckpoints(
                worker, name, kept, increments, selected, restore, new LocalState(held.weights(), List.of(caches)));
    }

    /**
     * Returns the same checkpoints, with another choice of what goes back to a checkpoint when a lost server or worker
     * comes back; {@link Restore#ALL} unless it is said. The last model that was saved or loaded with {@code ALL} makes
     * it hold for the cluster.
     */
    public ModelCheckpoints restore(Restore mode) {
        return new ModelCheckpoints(worker, name, kept, increments, selected, mode, held);
    }

    /**
     * Returns a training loop that takes a checkpoint every so many steps by itself, while the training goes on. Sends
     * nothing.
     *
     * @param steps the number of steps between two checkpoints, at least 1, the same for all workers
     */
    public TrainingLoop everySteps(long steps) {
        return TrainingLoop.everySteps(this, steps);
    }

    /**
     * Returns a training loop that takes checkpoints by the clock of a server, while the training goes on. Sends
     * nothing.
     *
     * @param interval the time between two checkpoints, at least 1 ms, the same for all workers
     */
    public TrainingLoop every(Duration interval) {
        return TrainingLoop.every(this, interval);
    }

    /**
     * Saves the model. Called by every worker. Blocks until everything is on the disk. Replaces an earlier checkpoint
     * of the same step. Until the save is complete, the checkpoints of other steps remain valid. Afterwards the oldest
     * ones beyond those to keep are deleted.
     *
     * @param step the number of the step, at least 0, the same for all workers; the checkpoint with the highest is the
     *     newest
     * @param record the worker's own state, such as its position in the data; at most 64 Ki characters. That of a
     *     client is saved as the record of rank 0
     * @throws PsException with {@code BAD_REQUEST} if the workers save different steps or models, or if one of them
     *     takes no part and passes the barrier, or the caller is a client beside workers; with {@code ROLLED_BACK} if a
     *     server has come back whose slices are older than the others; with {@code STORAGE} if the save failed; with
     *     {@code UNAVAILABLE} if the worker that saves for all, or a server, was lost; with {@code CONFIGURATION} if a
     *     server has no checkpoint directory, or another job saves a model of this name in it; with {@code TIMED_OUT}
     *     if the other workers do not call it within the worker's deadline
     */
    public void save(long step, Map<String, String> record) {
        if (step < 0 || step > 999_999_999_999_999_999L) {
            throw new IllegalArgumentException("step: " + step + " (expected: 0 .. 10^18 - 1)");
        }
        if (isClient()) {
            List<RecordEntry> entries = held.flushed(0, record.isEmpty() ? -1 : step, record);
            worker.awaitAll();
            var unused = SaveModelPsf.stub(worker)
                    .withDeadline(ModelWorks.LIMIT)
                    .call(ModelWorks.SERVER, name, step, options(), entries, worker.notedRollback())
                    .await();
        } else {
            List<RecordEntry> entries = held.flushed(worker.rank(), step, record);
            var unused = together("save of step " + step, false, step, entries);
        }
    }

    /** True if the caller saves and loads alone. */
    private boolean isClient() {
        return worker.role() == Role.CLIENT;
    }

    /** Has a server save or load once for all workers, which wait for each other before. */
    private MeetWorkers.Response together(String what, boolean load, long step, List<RecordEntry> entries) {
        var unused = worker.rank(); // refused before anything is sent
        try {
            worker.awaitAll();
        } catch (PsException e) {
            if (!load || e.code() != PsException.Code.ROLLED_BACK) {
                throw e;
            }
            worker.awaitAll(); // a load makes up for the calls that were undone
        }
        long attempt = JoinModelPsf.stub(worker)
                .call(ModelWorks.SERVER, name, what, entries)
                .await()
                .attempt();
        worker.barrier();
        return meeting().meet(attempt, load, step, false, true, List.of());
    }

    ModelMeeting meeting() {
        return new ModelMeeting(worker, name, options(), held::store);
    }

    private ModelOptions options() {
        List<TensorId> tensors = selected.isEmpty()
                ? List.of()
                : Stream.concat(selected.stream(), held.reduced().stream())
                        .distinct()
                        .toList();
        return new ModelOptions(kept, increments, tensors, held.reduced(), true, restore == Restore.ALL);
    }

    ClusterCaller worker() {
        return worker;
    }

    String name() {
        return name;
    }

    LocalState held() {
        return held;
    }

    /**
     * Loads the newest checkpoint. Called by every worker, with its tensors initialized as for {@link Tensors#load}. A
     * damaged checkpoint is skipped with a warning, and the next older one is loaded. All files are verified before any
     * tensor changes. A tensor may have more rows, or grow now, or grow no longer if each saved key is
     * one of its rows: the other rows begin anew. One that was not saved stays as
     * it is.
     *
     * <p>A worker that joins a running job ({@link ClusterCaller#isLate}), such as a lost worker that is started again,
     * loads nothing, since the other workers train on: it receives the newest checkpoint, goes on from its record, and
     * its caches are empty.
     *
     * @return the checkpoint that was loaded, the same for all workers; empty if there is none
     * @throws PsException as {@link #save}; with {@code STORAGE} if there are checkpoints and all are damaged; with
     *     {@code BAD_REQUEST} if a tensor has another width, fewer rows or another optimizer, or reduced weights were
     *     not saved; with {@code UNKNOWN_TENSOR} if one of the checkpoint is not initialized: {@link #tensors} selects
     *     the others
     */
    public Optional<ModelCheckpoint> loadLatest() {
        if (worker.isLate()) {
            return latestForLate();
        }
        return load("load of the newest step", MeetWorkers.NEWEST);
    }

    private Optional<ModelCheckpoint> load(String what, long step) {
        String manifest;
        if (isClient()) {
            worker.awaitAll();
            worker.takeRollback();
            manifest = LoadModelPsf.stub(worker)
                    .withDeadline(ModelWorks.LIMIT)
                    .call(ModelWorks.SERVER, name, step, options(), LoadScope.MODEL, worker.notedRollback())
                    .await()
                    .manifest();
        } else {
            manifest = together(what, true, step, List.of()).manifest();
        }
        if (manifest.isEmpty()) {
            return Optional.empty();
        }
        restore();
        return Optional.of(ModelCheckpoint.of(manifest));
    }

    private Optional<ModelCheckpoint> latestForLate() {
        if (!held.reduced().isEmpty()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "reduced weights " + held.reduced()
                            + ": of a worker that has joined a running job (expected: weights on the"
                            + " servers, since the other workers do not send theirs)");
        }
        held.caches().forEach(EmbeddingCache::clear);
        return latest();
    }

    /**
     * Loads the checkpoint of a step. Called by every worker, as {@link #loadLatest}.
     *
     * @throws PsException as {@link #loadLatest}, and with {@code STORAGE} if the checkpoint is damaged or missing
     */
    public ModelCheckpoint load(long step) {
        return load("load of step " + step, step).orElseThrow();
    }

    /** Empties the caches, and takes the weights from the servers. No worker stores before all have them: all wait. */
    private void restore() {
        held.restore();
        if (!held.weights().isEmpty() && !isClient()) {
            worker.barrier();
        }
    }

    /** Returns the complete checkpoints, newest first. Their content is not verified. Called by any worker. */
    public List<ModelCheckpoint> list() {
        ListModels.Response found = ListModelsPsf.stub(worker)
                .withDeadline(ModelWorks.LIMIT)
                .call(ModelWorks.SERVER, name)
                .await();
        found.damaged()
                .forEach(reason ->
                        LOG.warn("a checkpoint of model \"{}\" is skipped: {}", name, Names.printable(reason)));
        return found.manifests().stream().map(ModelCheckpoint::of).toList();
    }

    /** Deletes all checkpoints. Called by a client, or by one worker, while none saves or loads. */
    public void delete() {
        DeleteModelPsf.stub(worker)
                .withDeadline(ModelWorks.LIMIT)
                .call(ModelWorks.SERVER, name)
                .await();
    }

    /** Returns the newest complete checkpoint, as {@link #list}. */
    public Optional<ModelCheckpoint> latest() {
        return list().stream().findFirst();
    }
}
