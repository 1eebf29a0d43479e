package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The content of a saved model. A checkpoint of a model is valid once its manifest is written.
 *
 * @param step the number of the step that the model was saved at
 * @param tensors the tensors, each saved under the checkpoint's name
 * @param records the workers' records, in the order of the ranks
 */
public record ModelManifest(long step, List<SavedTensor> tensors, List<RecordEntry> records) {
    /** The file's name in the directory of the step. */
    static final String NAME = "model";

    private static final String FIRST = "psf-model 1";

    public ModelManifest {
        tensors = List.copyOf(tensors);
        records = List.copyOf(records);
    }

    /** Returns the text of the file. */
    String text() {
        StringBuilder text = new StringBuilder(FIRST + "\n");
        text.append("step %d\n".formatted(step));
        for (SavedTensor each : tensors) {
            text.append("tensor %016x %d %d %s\n"
                    .formatted(each.save(), each.rows(), each.width(), encoded(each.tensor())));
        }
        for (RecordEntry each : records) {
            text.append("record %d %s %s\n".formatted(each.worker(), encoded(each.key()), encoded(each.value())));
        }
        return Manifest.sealed(text.toString());
    }

    /**
     * Parses the text of a file.
     *
     * @throws IllegalArgumentException if it is damaged
     */
    public static ModelManifest parse(String text) {
        List<String> lines = Manifest.unsealed(text, FIRST);
        if (lines.size() < 2) {
            throw new IllegalArgumentException("lines: " + lines.size());
        }
        long step = Long.parseLong(Manifest.fields(lines.get(1), "step", 2)[1]);
        List<SavedTensor> tensors = new ArrayList<>();
        List<RecordEntry> records = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            if (line.startsWith("tensor ")) {
                String[] fields = Manifest.fields(line, "tensor", 5);
                tensors.add(new SavedTensor(
                        decoded(fields[4]),
                        Long.parseLong(fields[2]),
                        Integer.parseInt(fields[3]),
                        Long.parseUnsignedLong(fields[1], 16)));
            } else {
                String[] fields = Manifest.fields(line, "record", 4);
                records.add(new RecordEntry(Integer.parseInt(fields[1]), decoded(fields[2]), decoded(fields[3])));
            }
        }
        return new ModelManifest(step, tensors, records);
    }

    /** Returns what is saved of a tensor. */
    public Optional<SavedTensor> find(String tensor) {
        return tensors.stream().filter(each -> each.tensor().equals(tensor)).findFirst();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /**
     * Checks that the files of all tensors exist and have their lengths. Does not read their content.
     *
     * @param root the server's checkpoint directory
     * @param checkpoint the name that the tensors were saved under
     * @throws PsException with {@code STORAGE}, naming the file, if one is missing or differs
     */
    void requireFiles(Path root, String checkpoint) {
        for (SavedTensor each : tensors) {
            TensorId tensor = TensorId.of(each.tensor());
            Folder folder = Folder.of(root, checkpoint, tensor);
            Manifest manifest = Manifest.read(folder, checkpoint, tensor);
            if (manifest.save() != each.save()) {
                throw new PsException(
                        PsException.Code.STORAGE,
                        folder.path()
                                + ": save %016x (expected: %016x, as in the manifest of the model)"
                                        .formatted(manifest.save(), each.save()));
            }
            manifest.pieces().forEach(piece -> requireLength(piece.file(folder), piece.bytes()));
        }
    }

    private static void requireLength(Path file, long bytes) {
        try {
            if (Files.size(file) != bytes) {
                throw new PsException(
                        PsException.Code.STORAGE, file + ": " + Files.size(file) + " bytes (expected: " + bytes + ")");
            }
        } catch (IOException e) {
            throw Folder.failure("reading " + file, e);
        }
    }
}
