package io.psf.builtin.internal.checkpoint;

import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.Stages;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The saves, loads and deletions of models that a server leads: one of a model at a time, the others wait. It knows the
 * damaged steps of each model. Attached to the server that leads, used on its lane.
 */
public final class ModelWorks implements Metered {
    /** Selects the server for all models, which thereby detects that workers save different ones. */
    public static final long SERVER = 0;

    /** The time for a call of a save or load. Disks may be slow; the loss of a server is detected much earlier. */
    public static final Duration LIMIT = Duration.ofHours(2);

    /** The most models with damaged steps, and with counts of saves. */
    static final int MOST_SKIPPED = 1024;

    private final Map<String, Turns> ofModels = new HashMap<>();
    private final Map<String, SkippedSteps> skipped = new HashMap<>();
    private final Map<String, SaveCounts> saves = new LinkedHashMap<>();
    /** The number of works that have ended. */
    private long ended;

    /** The works on a model, of which the first is under way. */
    private static final class Turns {
        private final Deque<Runnable> works = new ArrayDeque<>();
        private boolean isUnderWay;
        private boolean isLooping;

        /** Begins the next work, unless one is under way. Works that end at once follow each other in a loop. */
        void next() {
            if (isLooping) {
                return;
            }
            isLooping = true;
            while (!isUnderWay && !works.isEmpty()) {
                isUnderWay = true;
                works.element().run();
            }
            isLooping = false;
        }

        void end() {
            works.remove();
            isUnderWay = false;
        }
    }

    private ModelWorks() {}

    /** Returns what a server leads. */
    public static ModelWorks of(Node server) {
        return server.attachment("psf.model.works", ModelWorks.class, ModelWorks::new);
    }

    /** Returns the manifest of the newest complete step of a model. */
    public static Optional<ModelManifest> newest(StoredNode server, String model) {
        return ModelSteps.of(server.checkpoints(), model).look().newest(step -> true);
    }

    /** Returns the number of works that have ended, for {@link #isUnchanged}. */
    public long ended() {
        return ended;
    }

    /**
     * True if the steps of a model are as they were.
     *
     * @param ended the number of works that had ended then
     */
    public boolean isUnchanged(String model, long ended) {
        return this.ended == ended && !isBusy(model);
    }

    /** True if a save, load or deletion of a model is under way. */
    public boolean isBusy(String model) {
        return ofModels.containsKey(model);
    }

    /**
     * Begins work on a model when the earlier ones have ended.
     *
     * @param isWanted false if nobody waits for it any more when its turn comes: it fails with {@code CANCELLED}
     * @param begin begins it; its stage completes on the lane
     * @return the result, or why the work has failed, without the exceptions that stages wrap it in
     */
    <T> CompletableFuture<T> add(String model, BooleanSupplier isWanted, Supplier<CompletionStage<T>> begin) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Turns turns = ofModels.computeIfAbsent(model, name -> new Turns());
        turns.works.add(() -> Stages.begun(() -> isWanted.getAsBoolean() ? begin.get() : unwanted(model))
                .whenComplete((done, failure) -> {
                    turns.end();
                    ended++;
                    if (failure == null) {
                        result.complete(done);
                    } else {
                        result.completeExceptionally(Stages.cause(failure));
                    }
                    turns.next();
                    if (turns.works.isEmpty()) {
                        ofModels.remove(model, turns);
                    }
                }));
        turns.next();
        return result;
    }

    private static <T> CompletionStage<T> unwanted(String model) {
        return CompletableFuture.failedFuture(
                new PsException(PsException.Code.CANCELLED, "work on model \"" + model + "\": nobody waits for it"));
    }

    /** Returns the counts of a model's saves. */
    SaveCounts saves(String model) {
        if (saves.size() >= MOST_SKIPPED && !saves.containsKey(model)) {
            saves.remove(saves.keySet().iterator().next());
        }
        return saves.computeIfAbsent(model, name -> new SaveCounts());
    }

    @Override
    public void measure(Metrics to) {
        saves.forEach((model, counts) -> counts.measure(to.with("model", model)));
    }

    /** Returns the damaged steps of a model. */
    SkippedSteps skipped(String model) {
        return skipped.getOrDefault(model, SkippedSteps.NONE);
    }

    /** Adds a damaged step of a model. */
    void skip(String model, long step) {
        SkippedSteps there = skipped.get(model);
        if (there == null) {
            AtMost.requireOneMore(
                    "models with damaged steps, with \"" + model + "\"",
                    skipped.size(),
                    MOST_SKIPPED,
                    "delete the damaged steps");
            there = new SkippedSteps();
            skipped.put(model, there);
        }
        there.add(model, step);
    }
}
