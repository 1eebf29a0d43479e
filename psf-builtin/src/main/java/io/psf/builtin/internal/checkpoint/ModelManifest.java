package io.psf.builtin.internal.checkpoint;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The content of a saved model. A checkpoint of a model is valid once its manifest is written.
 *
 * @param step the number of the step that the model was saved at
 * @param tensors the tensors
 * @param indexes the indexes of the images, by server
 * @param records the workers' records, in the order of the ranks
 */
public record ModelManifest(long step, List<SavedTensor> tensors, List<SavedIndex> indexes, List<RecordEntry> records) {
    /** The file's name in the directory of the step. */
    static final String NAME = "model";

    private static final String FIRST = "psf-model 2";

    public ModelManifest {
        tensors = List.copyOf(tensors);
        indexes = List.copyOf(indexes);
        records = List.copyOf(records);
    }

    /**
     * Returns the records of a save, and of absent workers the records of the previous checkpoint.
     *
     * @param before the previous checkpoint
     */
    static List<RecordEntry> withAbsent(List<RecordEntry> records, ModelManifest before) {
        Set<Integer> present = records.stream().map(RecordEntry::worker).collect(Collectors.toSet());
        Stream<RecordEntry> absent = before.records.stream()
                .filter(each -> !present.contains(each.worker()))
                .filter(RecordEntry::isCarriedOver);
        return Stream.concat(records.stream(), absent)
                .sorted(Comparator.comparingInt(RecordEntry::worker))
                .toList();
    }

    /** Returns the text of the file. */
    public String text() {
        StringBuilder text = new StringBuilder(FIRST + "\n");
        text.append(String.format(Locale.ROOT, "step %d\n", step));
        for (SavedIndex each : indexes) {
            text.append(String.format(Locale.ROOT, "index %d %08x %s\n", each.bytes(), each.checksum(), each.file()));
        }
        for (SavedTensor each : tensors) {
            text.append(String.format(Locale.ROOT, "tensor %016x ", each.save()))
                    .append(each.rows())
                    .append(' ');
            text.append(each.width()).append(' ').append(encoded(each.tensor())).append('\n');
        }
        for (RecordEntry each : records) {
            text.append(String.format(
                    Locale.ROOT, "record %d %s %s\n", each.worker(), encoded(each.key()), encoded(each.value())));
        }
        return SealedText.seal(text.toString());
    }

    /**
     * Parses the text of a file.
     *
     * @throws IllegalArgumentException if it is damaged
     */
    public static ModelManifest parse(String text) {
        List<String> lines = SealedText.lines(text, FIRST);
        if (lines.size() < 2) {
            throw new IllegalArgumentException("lines: " + lines.size());
        }
        long step = Long.parseLong(SealedText.fields(lines.get(1), "step", 2)[1]);
        List<SavedTensor> tensors = new ArrayList<>();
        List<SavedIndex> indexes = new ArrayList<>();
        List<RecordEntry> records = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            if (line.startsWith("index ")) {
                String[] fields = SealedText.fields(line, "index", 4);
                indexes.add(
                        new SavedIndex(fields[3], Long.parseLong(fields[1]), Integer.parseUnsignedInt(fields[2], 16)));
            } else if (line.startsWith("tensor ")) {
                String[] fields = SealedText.fields(line, "tensor", 5);
                tensors.add(new SavedTensor(
                        decoded(fields[4]),
                        Long.parseLong(fields[2]),
                        Integer.parseInt(fields[3]),
                        Long.parseUnsignedLong(fields[1], 16)));
            } else {
                String[] fields = SealedText.fields(line, "record", 4);
                records.add(new RecordEntry(Integer.parseInt(fields[1]), decoded(fields[2]), decoded(fields[3])));
            }
        }
        return new ModelManifest(step, tensors, indexes, records);
    }

    /** Returns the checksum of the text. */
    public int checksum() {
        return SealedText.checksum(text());
    }

    /** Returns what is saved of a tensor. */
    public Optional<SavedTensor> find(String tensor) {
        return tensors.stream().filter(each -> each.tensor().equals(tensor)).findFirst();
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
