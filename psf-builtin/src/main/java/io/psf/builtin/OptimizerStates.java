package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.builtin.internal.states.PullStates;
import io.psf.builtin.internal.states.PullStatesPsf;
import io.psf.builtin.internal.states.StatePart;
import io.psf.builtin.internal.states.StoreStatesPsf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Saves the optimizers' states of tensors to a file of this worker, and loads them. The values are not part of it. */
public final class OptimizerStates {
    private OptimizerStates() {}

    /**
     * Pulls the states, then writes the file.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be written
     */
    public static void save(TensorCaller worker, List<TensorId> tensors, Path file) {
        Map<TensorInfo, PullStates.Response> states = new LinkedHashMap<>();
        for (TensorId tensor : tensors) {
            TensorInfo info = worker.layout(tensor).info();
            states.put(info, PullStatesPsf.stub(worker).call(tensor).await());
        }
        StateFile.write(file, states);
    }

    /**
     * Reads the file, then stores the states of all its tensors.
     *
     * @throws PsException with {@code STORAGE} if the file is missing or damaged; with {@code BAD_REQUEST} if a tensor
     *     has another shape or another optimizer than at the save
     */
    public static void load(TensorCaller worker, Path file) {
        Map<TensorInfo, PullStates.Response> states = StateFile.read(file);
        for (TensorInfo saved : states.keySet()) {
            TensorInfo there = worker.layout(saved.id()).info();
            if (!there.shape().equals(saved.shape())) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "shape of \"" + saved.id() + "\" in " + file + ": " + saved.shape() + " (expected: "
                                + there.shape() + ")");
            }
        }
        states.forEach((tensor, saved) -> store(worker, tensor.id(), saved.parts(), saved.steps()));
    }

    /** Replaces the state of a tensor on the servers. */
    static void store(TensorCaller worker, TensorId tensor, List<StatePart> parts, long steps) {
        StoreStatesPsf.stub(worker)
                .call(tensor, cut(parts, worker.layout(tensor)), steps)
                .await();
    }

    /** Cuts parts at the bounds of slices. */
    private static List<StatePart> cut(List<StatePart> parts, TensorLayout layout) {
        List<StatePart> cut = new ArrayList<>();
        for (StatePart part : parts) {
            long end = part.row() + part.values().length / part.width();
            for (int slice = 0; slice < layout.slices(); slice++) {
                long from = Math.max(part.row(), layout.range(slice).begin());
                long to = Math.min(end, layout.range(slice).end());
                if (from < to) {
                    float[] values = Arrays.copyOfRange(
                            part.values(),
                            (int) (from - part.row()) * part.width(),
                            (int) (to - part.row()) * part.width());
                    cut.add(new StatePart(from, part.optimizer(), part.slot(), part.width(), values));
                }
            }
        }
        return cut;
    }
}
