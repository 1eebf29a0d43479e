package io.psf.cli;

import java.util.Arrays;
import java.util.List;

/** The functions in which workers wait for each other, with the settings that let them wait less. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are
enum Meeting {
    BARRIER(
            "which opens when all workers have come",
            "Ssp.join(worker, group, staleness) in the place of the barrier lets the others run ahead",
            "psf.barrier"),
    SSP(
            "which ends when the slowest worker is near enough",
            "a higher staleness of Ssp.join lets the others run further ahead",
            "psf.ssp."),
    AVERAGE(
            "which averages over workers",
            "PartialReduce averages over the workers that are there",
            "psf.allreduce.",
            "psf.preduce."),
    EPOCH(
            "where the workers of a training loop meet",
            "an equal split of the data; fewer checkpoints (ModelCheckpoints.everySteps or every)",
            "psf.training.",
            "psf.epoch.",
            "psf.push.end"),
    OTHER(
            "whose answers wait for pushes of other workers",
            "TensorSpec.quorum(pushes, late) closes a round without the slowest, and Updates.EACH waits for nobody");

    private final String waitsFor;
    private final String change;
    private final List<String> prefixes;

    Meeting(String waitsFor, String change, String... prefixes) {
        this.waitsFor = waitsFor;
        this.change = change;
        this.prefixes = List.of(prefixes);
    }

    /** Returns the meeting that a function is for; {@link #OTHER} if its name does not say that it is one. */
    static Meeting of(String function) {
        return Arrays.stream(values())
                .filter(each -> each.has(function))
                .findFirst()
                .orElse(OTHER);
    }

    /** True for a function by which workers meet so. */
    boolean has(String function) {
        return prefixes.stream().anyMatch(function::startsWith);
    }

    /** Returns what a call waits for, as a part of a sentence. */
    String waitsFor() {
        return waitsFor;
    }

    /** Returns the setting that lets workers wait less. */
    String change() {
        return change;
    }
}
