package io.psf.builtin.internal.checkpoint;

import static io.psf.builtin.internal.checkpoint.SealedText.fields;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The images that one server has saved of a model.
 *
 * @param save the unique number of the save
 * @param lengths the length of each file that has images, by its name in the folder of the model
 * @param slices the images, by slice
 */
record ServerIndex(long save, Map<String, Long> lengths, List<Slice> slices) {
    static final String SUFFIX = ".index";

    private static final String FIRST = "psf-index 1";

    ServerIndex {
        lengths = Map.copyOf(lengths);
        slices = List.copyOf(slices);
    }

    /** The images of a slice. */
    record Slice(TensorInfo tensor, SavedChain chain) {}

    /**
     * Writes the index.
     *
     * @param prefix the beginning of the file's name
     */
    SavedIndex publish(Folder folder, String prefix) {
        String file = prefix + SUFFIX;
        String text = text();
        folder.publish(file, text);
        return new SavedIndex(file, text.getBytes(StandardCharsets.UTF_8).length, SealedText.checksum(text));
    }

    String text() {
        List<String> files = lengths.keySet().stream().sorted().toList();
        Map<String, Integer> numbers = new HashMap<>();
        StringBuilder text = new StringBuilder(FIRST + "\n");
        text.append(String.format(Locale.ROOT, "save %016x\n", save));
        for (String file : files) {
            text.append("file ")
                    .append(lengths.get(file))
                    .append(' ')
                    .append(encoded(file))
                    .append('\n');
            numbers.put(file, numbers.size());
        }
        for (Slice slice : slices) {
            TensorInfo tensor = slice.tensor();
            text.append("tensor ").append(tensor.rows()).append(' ').append(tensor.width());
            text.append(' ').append(encoded(tensor.id().name())).append('\n');
            for (SavedImage image : slice.chain().images()) {
                boolean last = image.bases() == slice.chain().last().bases();
                text.append(last ? "rows" : String.format(Locale.ROOT, "base %016x", image.save()));
                text.append(' ').append(image.begin()).append(' ').append(image.end());
                text.append(' ').append(image.bytes()).append(String.format(Locale.ROOT, " %08x ", image.checksum()));
                text.append(image.offset())
                        .append(' ')
                        .append(numbers.get(image.file()))
                        .append('\n');
            }
        }
        return SealedText.seal(text.toString());
    }

    /**
     * Parses the text of a file.
     *
     * @throws IllegalArgumentException if it is damaged
     */
    static ServerIndex parse(String text) {
        List<String> lines = SealedText.lines(text, FIRST);
        if (lines.size() < 2) {
            throw new IllegalArgumentException("lines: " + lines.size());
        }
        long save = Long.parseUnsignedLong(fields(lines.get(1), "save", 2)[1], 16);
        Map<String, Long> lengths = new HashMap<>();
        List<String> files = new ArrayList<>();
        List<Slice> slices = new ArrayList<>();
        List<SavedImage> images = new ArrayList<>();
        TensorInfo tensor = null;
        for (String line : lines.subList(2, lines.size())) {
            if (line.startsWith("file ")) {
                String[] file = fields(line, "file", 3);
                files.add(decoded(file[2]));
                lengths.put(decoded(file[2]), Long.parseLong(file[1]));
            } else if (line.startsWith("tensor ")) {
                String[] shape = fields(line, "tensor", 4);
                TensorId id = TensorId.of(decoded(shape[3]));
                tensor = new TensorInfo(id, Long.parseLong(shape[1]), Integer.parseInt(shape[2]));
            } else if (line.startsWith("base ")) {
                String[] base = fields(line, "base", 8);
                images.add(image(Long.parseUnsignedLong(base[1], 16), base, 2, images.size(), files));
            } else if (tensor == null) {
                throw new IllegalArgumentException("line without a tensor: " + line);
            } else {
                images.add(image(save, fields(line, "rows", 7), 1, images.size(), files));
                slices.add(new Slice(tensor, new SavedChain(images)));
                images.clear();
            }
        }
        if (!images.isEmpty()) {
            throw new IllegalArgumentException("its last line names an image of an earlier save");
        }
        return new ServerIndex(save, lengths, slices);
    }

    private static SavedImage image(long save, String[] fields, int at, int bases, List<String> files) {
        int file = Integer.parseInt(fields[at + 5]);
        if (file < 0 || file >= files.size()) {
            throw new IllegalArgumentException("number of a file: " + file);
        }
        return new SavedImage(
                save,
                Long.parseLong(fields[at]),
                Long.parseLong(fields[at + 1]),
                files.get(file),
                Long.parseLong(fields[at + 4]),
                Long.parseLong(fields[at + 2]),
                Integer.parseUnsignedInt(fields[at + 3], 16),
                bases);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
