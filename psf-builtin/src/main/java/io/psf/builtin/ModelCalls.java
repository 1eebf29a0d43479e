package io.psf.builtin;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.checkpoint.BaseModel;
import io.psf.builtin.checkpoint.BaseModelPsf;
import io.psf.builtin.checkpoint.CommitModelPsf;
import io.psf.builtin.checkpoint.DiscardModelPsf;
import io.psf.builtin.checkpoint.FreezeModelPsf;
import io.psf.builtin.checkpoint.ListModels;
import io.psf.builtin.checkpoint.ListModelsPsf;
import io.psf.builtin.checkpoint.LoadModelPsf;
import io.psf.builtin.checkpoint.ModelManifest;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.checkpoint.SaveModel;
import io.psf.builtin.checkpoint.SaveModelPsf;
import io.psf.builtin.checkpoint.SavedTensor;
import io.psf.builtin.checkpoint.SkipModelPsf;
import io.psf.builtin.checkpoint.WrittenModel;
import io.psf.builtin.checkpoint.WrittenModelPsf;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls with which one caller saves and loads the checkpoints of a model for all. Those that write and read slices
 * go to all servers at once, the others to the server that leads.
 *
 * @param name the model's name
 */
record ModelCalls(TensorCaller caller, String name) {
    private static final Logger LOG = LoggerFactory.getLogger(ModelCalls.class);

    /** Selects the server for all models, which thereby detects that workers save different ones. */
    static final long SERVER = 0;

    /** The time for a call, and for the worker that leads. Disks may be slow; its loss is detected much earlier. */
    static final Duration LIMIT = Duration.ofHours(2);

    /**
     * A caller's part in a save.
     *
     * @param attempt the number of the attempt, whose workers' records are saved; -1 if {@code records} are
     * @param hold the number of the hold of a client that saves alone; 0 of a worker
     * @param beforeCommit a last check, once all slices are on the disk
     */
    record SavePart(long attempt, List<RecordEntry> records, long hold, Runnable beforeCommit) {
        /** Returns the part of a worker that saves for all, with the records that they have told in an attempt. */
        static SavePart ofAttempt(long attempt) {
            return new SavePart(attempt, List.of(), 0, () -> {});
        }

        /** Returns the part of a worker that saves for all, with their records. */
        static SavePart of(List<RecordEntry> records) {
            return new SavePart(-1, records, 0, () -> {});
        }
    }

    /** Returns the name of the checkpoint of a step. */
    String checkpoint(long step) {
        return String.format(Locale.ROOT, "%s/step-%012d", name, step);
    }

    /**
     * Saves a step in the place of an earlier save of it. Deletes it if that fails.
     *
     * @param hold the number of a client's hold; 0 of a worker
     */
    void replace(long step, long hold, Runnable save) {
        discard(step, hold);
        try {
            save.run();
        } catch (PsException e) {
            try {
                discard(step, hold);
            } catch (PsException notDiscarded) {
                e.addSuppressed(notDiscarded);
            }
            throw e;
        }
    }

    /**
     * Saves a step, whose folder is empty.
     *
     * @param part the caller's part in the save
     * @param kept the number of complete steps to keep
     * @param increments the most increments that follow an image with all rows
     */
    void save(long step, SavePart part, List<TensorInfo> tensors, int kept, int increments) {
        SaveModel.Request save = request(step, tensors, increments);
        List<SaveModel.Written> written = SaveModelPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(name, step, save.save(), save.base(), save.baseChecksum(), increments, save.tensors())
                .await()
                .indexes();
        part.beforeCommit().run();
        commit(save, part, tensors, written, kept);
    }

    /** Returns the request for a save, with the step that it may build on. */
    SaveModel.Request request(long step, List<TensorInfo> tensors, int increments) {
        BaseModel.Response base = increments == 0 ? new BaseModel.Response(-1, 0) : base();
        List<TensorId> ids = tensors.stream().map(TensorInfo::id).toList();
        long save = ThreadLocalRandom.current().nextLong();
        return new SaveModel.Request(name, step, save, base.step(), base.checksum(), increments, ids);
    }

    /** Copies the shards. Blocks until calls may go on; the servers write meanwhile. */
    void freeze(SaveModel.Request save) {
        FreezeModelPsf.stub(caller).withDeadline(LIMIT).call(save).await();
    }

    /** Returns whether the servers have all files of a save on the disk, and the indexes. */
    WrittenModel.Response written(SaveModel.Request save) {
        return WrittenModelPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(save.save())
                .await();
    }

    /**
     * Commits a save whose files are on the disk.
     *
     * @param part the caller's part in the save
     */
    void commit(
            SaveModel.Request save,
            SavePart part,
            List<TensorInfo> tensors,
            List<SaveModel.Written> written,
            int kept) {
        List<SavedTensor> saved = tensors.stream()
                .map(each -> new SavedTensor(each.id().name(), each.rows(), each.width(), save.save()))
                .toList();
        CommitModelPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(
                        SERVER,
                        name,
                        part.attempt(),
                        save.step(),
                        kept,
                        save.increments() > 0,
                        saved,
                        written.stream().map(SaveModel.Written::index).toList(),
                        part.records(),
                        part.hold())
                .await()
                .notDeleted()
                .forEach(reason ->
                        LOG.warn("an old checkpoint of model \"{}\" is left: {}", name, Names.printable(reason)));
        LOG.info(
                "checkpoint \"{}\": {} bytes, {} slices with changes alone",
                checkpoint(save.step()),
                written.stream().mapToLong(SaveModel.Written::bytes).sum(),
                written.stream().mapToInt(SaveModel.Written::increments).sum());
    }

    /** Returns the step that a save may build on. None after a damaged step has been skipped: the save has all rows. */
    private BaseModel.Response base() {
        return BaseModelPsf.stub(caller).withDeadline(LIMIT).call(SERVER, name).await();
    }

    /**
     * Verifies tensors of a step.
     *
     * @throws PsException as {@link #load}
     */
    void verify(ModelManifest manifest, List<SavedTensor> chosen) {
        load(manifest, chosen, true, false);
    }

    /**
     * Loads tensors of a step.
     *
     * @param restart true if their open rounds are dropped
     * @throws PsException with {@code UNKNOWN_TENSOR} if the servers do not hold all slices of the tensors
     */
    void load(ModelManifest manifest, List<SavedTensor> chosen, boolean restart) {
        load(manifest, chosen, false, restart);
    }

    private void load(ModelManifest manifest, List<SavedTensor> chosen, boolean dryRun, boolean restart) {
        List<TensorId> tensors =
                chosen.stream().map(each -> TensorId.of(each.tensor())).toList();
        int slices =
                tensors.stream().mapToInt(each -> caller.layout(each).slices()).sum();
        int found = LoadModelPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(name, manifest.step(), manifest.checksum(), tensors, dryRun, restart)
                .await()
                .slices();
        if (found != slices) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "slices of the tensors of checkpoint \"" + checkpoint(manifest.step()) + "\": " + found
                            + " (expected: " + slices + ", as they were initialized; load again)");
        }
    }

    /**
     * Deletes a step.
     *
     * @param hold the number of a client's hold; 0 of a worker
     */
    void discard(long step, long hold) {
        DiscardModelPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(SERVER, name, step, hold)
                .await();
    }

    /** Reports a step that is damaged. */
    void skip(long step) {
        SkipModelPsf.stub(caller).call(SERVER, name, step).await();
    }

    /** Returns what is saved of the model. */
    ListModels.Response list() {
        return ListModelsPsf.stub(caller).withDeadline(LIMIT).call(SERVER, name).await();
    }

    /** Returns the manifests of the complete steps, newest first. */
    List<ModelManifest> manifests() {
        ListModels.Response found = list();
        found.damaged()
                .forEach(reason ->
                        LOG.warn("a checkpoint of model \"{}\" is skipped: {}", name, Names.printable(reason)));
        return found.manifests().stream().map(ModelManifest::parse).toList();
    }

    /**
     * Returns the manifest of a complete step.
     *
     * @throws PsException with {@code STORAGE} if it is damaged or missing
     */
    ModelManifest at(long step) {
        return manifests().stream()
                .filter(each -> each.step() == step)
                .findFirst()
                .orElseThrow(() -> new PsException(
                        PsException.Code.STORAGE,
                        "checkpoint \"" + checkpoint(step)
                                + "\": damaged or missing (expected: a complete checkpoint of the model)"));
    }
}
