package io.psf.builtin.internal.checkpoint;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.internal.named.BadRequest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/** The names of models and of the folders in them. */
public final class CheckpointNames {
    private static final int LONGEST = 200;
    /** The end of the names of tensors' folders. */
    static final String TENSOR = ".tensor";
    /** The end of the names of models from which the states of optimizers are loaded. */
    static final String STATES = ".states";

    private static final Pattern ALONE = Pattern.compile("[A-Za-z0-9%._-]{1,240}\\" + TENSOR);

    private CheckpointNames() {}

    /**
     * Returns the name of the model that has one tensor alone: {@code <checkpoint>/<tensor>.tensor}.
     *
     * @param checkpoint the checkpoint's name, under which several tensors may be saved
     */
    public static String alone(String checkpoint, TensorId tensor) {
        return checkpoint + "/" + of(tensor);
    }

    /** Returns the name of the checkpoint that a model of one tensor belongs to; of another model its own name. */
    static String shared(String model) {
        int last = model.lastIndexOf('/');
        return last >= 0 && ALONE.matcher(model.substring(last + 1)).matches() ? model.substring(0, last) : model;
    }

    /** True for the name of a model that has a tensor, or states of optimizers, and nothing else of a job. */
    static boolean isOfTensors(String model) {
        return model.endsWith(TENSOR) || model.endsWith(STATES);
    }

    /**
     * Checks a name that is part of a path.
     *
     * @param what the kind of object that the name belongs to
     * @throws PsException with {@code BAD_REQUEST}
     */
    public static void require(String what, String name) {
        var unused = BadRequest.ifIllegal(() -> Names.requirePath(what, shared(name)));
    }

    /** Returns the name of a step's folder. */
    static String step(long step) {
        return String.format(Locale.ROOT, "step-%012d", step);
    }

    /**
     * Returns the name of a tensor's folder: bytes that are unsafe in file names become {@code %XX}; a long name is
     * cut, and the tensor's number is appended.
     */
    static String of(TensorId tensor) {
        StringBuilder name = new StringBuilder();
        for (byte each : tensor.name().getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (each & 0xff);
            boolean plain = letter < 128 && (Character.isLetterOrDigit(letter) || "_-.".indexOf(letter) >= 0);
            name.append(plain ? String.valueOf(letter) : String.format(Locale.ROOT, "%%%02X", (int) letter));
        }
        return (name.length() <= LONGEST
                        ? name.toString()
                        : name.substring(0, LONGEST) + String.format(Locale.ROOT, "-%08x", tensor.number()))
                + TENSOR;
    }
}
