package io.psf.builtin.checkpoint;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.internal.named.BadRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/** The paths of checkpoints below a server's directory. */
public final class CheckpointPath {
    private static final int LONGEST = 200;
    /** The end of the names of tensors' folders. */
    static final String TENSOR = ".tensor";

    private static final Pattern ALONE = Pattern.compile("[A-Za-z0-9%._-]{1,240}\\" + TENSOR);

    private CheckpointPath() {}

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

    /**
     * Returns the path of a checkpoint below a directory.
     *
     * @throws PsException with {@code BAD_REQUEST} if the name is invalid, or would lead out of the directory; with
     *     {@code STORAGE} if a folder below the directory is a symbolic link
     */
    static Path of(Path root, String checkpoint) {
        require("checkpoint", checkpoint);
        Path path = root;
        for (String part : checkpoint.split("/", -1)) {
            path = below(path, part, checkpoint);
        }
        return path;
    }

    /**
     * Checks a name that is part of a path.
     *
     * @param what the kind of object that the name belongs to
     * @throws PsException with {@code BAD_REQUEST}
     */
    static void require(String what, String name) {
        var unused = BadRequest.ifIllegal(() -> Names.requirePath(what, shared(name)));
    }

    /**
     * Returns a folder in another one. The directory that was set may be a link; one below it may be another user's.
     */
    private static Path below(Path folder, String name, String checkpoint) {
        Path path = folder.resolve(name);
        if (Files.isSymbolicLink(path)) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "checkpoint \"" + checkpoint + "\": " + path
                            + " is a symbolic link (expected: a directory, or none)");
        }
        return path;
    }

    /**
     * Returns the path of a step of a model.
     *
     * @throws PsException as {@link #of(Path, String)}
     */
    static Path of(Path root, String model, long step) {
        return below(of(root, model), step(step), model);
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
