package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.spi.StoredNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the shards of one server from the newest checkpoints of models. A server calls it on itself when it takes the
 * place of a lost one. A checkpoint that is damaged is skipped, and the next older one is loaded.
 */
@PsFunction(value = "psf.model.restore", at = Place.SERVER)
public interface RestoreModels {
    /**
     * The models.
     *
     * @param models their names, paths below the server's checkpoint directory; a later one takes precedence
     */
    record Request(List<String> models) {}

    /**
     * The result.
     *
     * @param loaded the tensors that the checkpoints have, on this server or others
     */
    record Response(List<TensorId> loaded) {}

    /** Loads the shards of all tensors that the checkpoints have. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Set<TensorId> loaded = new LinkedHashSet<>();
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (String model : request.models()) {
            ModelSteps steps = ModelSteps.of(node.checkpoints(), model);
            all = all.thenCompose(before -> load(node, steps, steps.steps(), null))
                    .thenAccept(loaded::addAll);
        }
        return all.thenApply(done -> new Response(List.copyOf(loaded)));
    }

    /** Returns the tensors of the step that is loaded. */
    private static CompletionStage<List<TensorId>> load(
            StoredNode node, ModelSteps steps, List<Long> newestFirst, @Nullable Throwable why) {
        Logger log = LoggerFactory.getLogger(RestoreModels.class);
        if (newestFirst.isEmpty()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "checkpoints of model \"" + steps.model() + "\" in "
                            + steps.folder().store() + ": " + (why == null ? "none" : "all damaged")
                            + " (expected: a complete one)",
                    why);
        }
        long step = newestFirst.get(0);
        List<TensorId> tensors = new ArrayList<>();
        CompletionStage<Integer> loaded;
        try {
            ModelImages images = steps.read(step);
            images.manifest().tensors().forEach(each -> tensors.add(TensorId.of(each.tensor())));
            loaded = run(node, steps, images, tensors, true)
                    .thenCompose(verified -> run(node, steps, images, tensors, false));
        } catch (PsException e) {
            loaded = CompletableFuture.failedFuture(e);
        }
        return loaded.handle((shards, failure) -> {
                    if (failure == null) {
                        SavedReports.load(node, steps, step);
                        log.info("{} shards are loaded from checkpoint \"{}\"", shards, steps.name(step));
                        return CompletableFuture.completedFuture(tensors);
                    }
                    log.warn("checkpoint \"{}\" is skipped: {}", steps.name(step), failure.getMessage());
                    return load(node, steps, newestFirst.subList(1, newestFirst.size()), failure);
                })
                .thenCompose(next -> next);
    }

    private static CompletionStage<Integer> run(
            StoredNode node, ModelSteps steps, ModelImages images, List<TensorId> tensors, boolean dryRun) {
        String checkpoint = steps.name(images.manifest().step());
        return EachTensor.run(
                        node,
                        EachTensor.MANY,
                        tensors,
                        shard -> images.load(shard, checkpoint, dryRun, LoadScope.MODEL))
                .thenApply(List::size);
    }
}
