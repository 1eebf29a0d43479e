package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.named.BadRequest;
import java.util.List;

/** Commits a save of a model: writes its manifest, then deletes the steps beyond those to keep. Runs on one server. */
@PsFunction(value = "psf.model.commit", at = Place.SERVER)
public interface CommitModel {
    /**
     * The save to commit.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     * @param attempt the number of the attempt, whose workers' records are saved; -1 if {@code records} are
     * @param step the number of the step
     * @param keep the number of complete steps to keep, at least 1
     * @param incremental true if one more step is kept that shares no file with the newest
     * @param tensors the tensors, which are saved
     * @param indexes the indexes of their images
     * @param records the workers' records, of a save without an attempt
     * @param hold the number of the {@link HoldModel hold} of a client that saves alone; 0 of a worker
     */
    record Request(
            @ByKey long server,
            String model,
            long attempt,
            long step,
            int keep,
            boolean incremental,
            List<SavedTensor> tensors,
            List<SavedIndex> indexes,
            List<RecordEntry> records,
            @Since(2) long hold) {}

    /**
     * The result.
     *
     * @param notDeleted the reason for each step that could not be deleted
     */
    record Response(List<String> notDeleted) {}

    /**
     * Writes the manifest, with the workers' records: of a worker that is absent, the record of the checkpoint before.
     */
    default Response handle(Request request, StoredNode node) {
        ModelHolds.of(node).requireHeld(request.model(), request.hold(), node);
        request.tensors().forEach(CommitModel::require);
        List<RecordEntry> records = request.attempt() < 0
                ? request.records()
                : ModelAttempts.of(node).at(request.model(), request.attempt()).entries();
        ModelSteps steps = ModelSteps.of(node.checkpoints(), request.model());
        List<RecordEntry> all = steps.before(request.step())
                .map(before -> ModelManifest.withAbsent(records, before))
                .orElse(records);
        steps.write(new ModelManifest(request.step(), request.tensors(), request.indexes(), all));
        SkippedSteps skipped = ModelAttempts.of(node).skipped(request.model());
        skipped.saved();
        return new Response(steps.prune(request.keep(), request.step(), request.incremental(), skipped));
    }

    private static void require(SavedTensor tensor) {
        var unused =
                BadRequest.ifIllegal(() -> new TensorInfo(TensorId.of(tensor.tensor()), tensor.rows(), tensor.width()));
    }
}
