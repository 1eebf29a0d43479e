package io.psf.examples.flink;

import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.jspecify.annotations.Nullable;

/**
 * Trains the two rows of an event: pushes the gradient of half the squared error, and emits the error once the servers
 * have applied it. The rows are the rows that the score has used. They may be stale, as in any asynchronous training.
 *
 * <p>Each push runs exactly once, through reconnections as well, as long as the task lives. After a failure Flink
 * starts the task again from its last checkpoint: the events since then, and the events that the operator had in
 * flight, are pushed again. The updates are at least once, and the servers keep the updates of the failed attempt.
 * Asynchronous training endures a few updates more; a count would not. {@code client.task(number)} makes changes once:
 * its number would be of the source's split and a range of offsets, which are the same in each attempt.
 */
final class Train extends RichAsyncFunction<Scored, Float> {
    private static final long serialVersionUID = 1L;

    private final Embeddings embeddings;
    private transient @Nullable Client client;

    Train(Embeddings embeddings) {
        this.embeddings = embeddings;
    }

    @Override
    public void open(OpenContext context) {
        client = embeddings.connect();
    }

    @Override
    public void asyncInvoke(Scored scored, ResultFuture<Float> result) {
        float error = scored.score() - scored.event().rating();
        Tensors.pushRows(
                        Objects.requireNonNull(client),
                        Embeddings.TABLE,
                        scored.event().keys(),
                        gradient(error, scored.rows()))
                .toCompletableFuture()
                .whenComplete((pushed, failure) -> {
                    if (failure == null) {
                        result.complete(List.of(error));
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
    }

    /** Returns [2, width] float32: the gradient for a row is the other row times the error. */
    private static float[] gradient(float error, float[] rows) {
        float[] gradient = new float[rows.length];
        for (int i = 0; i < Embeddings.WIDTH; i++) {
            gradient[i] = error * rows[Embeddings.WIDTH + i];
            gradient[Embeddings.WIDTH + i] = error * rows[i];
        }
        return gradient;
    }

    @Override
    public void close() {
        Embeddings.disconnect(client);
    }
}
