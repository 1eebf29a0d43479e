package io.psf.builtin.internal.checkpoint;

import io.psf.api.Caller;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Stages;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A load of a model, by the server that leads it: all servers verify what they are to load, then load it. Used on the
 * server's lane.
 *
 * @param options what its callers want of the checkpoints
 * @param scope what it replaces
 * @param rollback the last rollback that its callers know
 * @param isWanted false once nobody waits for it
 * @param allowed throws why the load is not allowed now
 */
public record LedLoad(
        StoredNode leader,
        String model,
        ModelOptions options,
        LoadScope scope,
        long rollback,
        BooleanSupplier isWanted,
        Runnable allowed) {
    private static final Logger LOG = LoggerFactory.getLogger(LedLoad.class);

    /** In place of a step: the newest one that is not damaged. */
    public static final long NEWEST = -1;

    private ModelSteps steps() {
        return ModelSteps.of(leader.checkpoints(), model);
    }

    /**
     * Begins the load when the earlier works on the model have ended. A damaged step is skipped with a warning if the
     * newest one is loaded.
     *
     * @param step the number of the step; {@link #NEWEST}
     * @return the manifest of the step that is loaded; empty if there is none
     */
    public CompletableFuture<Optional<ModelManifest>> start(long step) {
        return ModelWorks.of(leader).add(model, isWanted, () -> run(step));
    }

    private CompletionStage<Optional<ModelManifest>> run(long step) {
        allowed.run();
        return step == NEWEST
                ? newest(steps().steps(), null)
                : load(steps().readIfComplete(step)
                                .map(ModelImages::manifest)
                                .orElseThrow(() -> new PsException(
                                        PsException.Code.STORAGE,
                                        "checkpoint \"" + steps().name(step)
                                                + "\": damaged or missing (expected: a complete checkpoint of the"
                                                + " model)")))
                        .thenApply(Optional::of);
    }

    /** Loads the first of some steps that is not damaged. */
    private CompletionStage<Optional<ModelManifest>> newest(List<Long> newestFirst, @Nullable PsException why) {
        if (newestFirst.isEmpty()) {
            if (why != null) {
                throw why; // to begin anew would be a surprise
            }
            return told("").thenApply(done -> Optional.empty());
        }
        long step = newestFirst.get(0);
        List<Long> others = newestFirst.subList(1, newestFirst.size());
        ModelManifest manifest;
        try {
            manifest = steps().read(step).manifest();
        } catch (PsException e) {
            return newest(others, skipped(step, e, why));
        }
        return load(manifest)
                .handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(Optional.of(manifest));
                    } else if (Stages.cause(failure) instanceof PsException known
                            && known.code() == PsException.Code.STORAGE) {
                        return newest(others, skipped(step, known, why));
                    }
                    return CompletableFuture.<Optional<ModelManifest>>failedFuture(Stages.cause(failure));
                })
                .thenCompose(next -> next);
    }

    private PsException skipped(long step, PsException reason, @Nullable PsException before) {
        LOG.warn("checkpoint of step {} of model \"{}\" is skipped: {}", step, model, Names.printable(reason.detail()));
        return before == null ? reason : before;
    }

    private CompletionStage<ModelManifest> load(ModelManifest manifest) {
        String checkpoint = steps().name(manifest.step());
        ChosenTensors chosen = ChosenTensors.of(manifest, options, checkpoint);
        return read(manifest, chosen.ids(), true)
                .handle((parts, failure) -> {
                    if (failure == null) {
                        return parts;
                    }
                    if (Stages.cause(failure) instanceof PsException known
                            && known.code() == PsException.Code.STORAGE) {
                        ModelWorks.of(leader).skip(model, manifest.step()); // no save builds on it
                    }
                    throw new CompletionException(Stages.cause(failure));
                })
                .thenCompose(verified -> {
                    chosen.requireThere(verified.parts());
                    return read(manifest, chosen.ids(), false);
                })
                .thenCompose(loaded -> {
                    chosen.requireThere(loaded.parts());
                    LOG.info("checkpoint \"{}\" is loaded", checkpoint);
                    chosen.changes(loaded).forEach(change -> LOG.warn("checkpoint \"{}\": {}", checkpoint, change));
                    return told(model).thenApply(done -> {
                        allowed.run(); // others may have changed the tensors meanwhile
                        return manifest;
                    });
                });
    }

    private CompletionStage<ReadModel.Response> read(ModelManifest manifest, List<TensorId> tensors, boolean dryRun) {
        Caller servers = leader.caller(ModelWorks.LIMIT);
        return Stages.reached(
                leader,
                isWanted,
                () -> ReadModelPsf.stub(servers)
                        .withDeadline(ModelWorks.LIMIT)
                        .call(model, manifest.step(), manifest.checksum(), tensors, dryRun, scope));
    }

    private CompletionStage<Void> told(String model) {
        return options.isRestored()
                ? leader.restoreFrom(RestorePoint.loaded(model, options.isExact(), rollback))
                : CompletableFuture.completedFuture(null);
    }
}
