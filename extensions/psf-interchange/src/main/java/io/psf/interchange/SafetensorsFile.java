package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Saves tensors to a safetensors file and loads them. A growing table is two arrays: its keys and their rows. */
final class SafetensorsFile {
    private static final String KEYS = ".keys";
    private static final String VALUES = ".values";

    private SafetensorsFile() {}

    /** The place of an array that is written: the keys precede all others, so that they are aligned. */
    private record Written(String name, ElementFormat format, String shape, long begin, long end) {
        String text() {
            return String.format(
                    Locale.ROOT,
                    "%s:{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%d,%d]}",
                    quoted(name),
                    format.safetensors(),
                    shape,
                    begin,
                    end);
        }

        /** Returns a bound of the length of {@link #text}, for any numbers. */
        long mostBytes() {
            return quoted(name).getBytes(StandardCharsets.UTF_8).length + 160L;
        }
    }

    /**
     * Writes the file, or replaces it.
     *
     * @throws PsException with {@code STORAGE} if it cannot be written; with {@code BAD_REQUEST} if two arrays would
     *     have one name
     */
    static void save(Path file, List<? extends RowSource> sources) {
        List<TensorInfo> tensors = sources.stream().map(RowSource::tensor).toList();
        requireNames(file, tensors);
        try (ArrayWriter out = new ArrayWriter(file)) {
            int header = headerBytes(tensors);
            out.seek(header);
            Map<TensorInfo, Written> keys = new LinkedHashMap<>();
            long at = 0;
            for (RowSource source : sources) {
                TensorInfo each = source.tensor();
                if (each.grows()) {
                    long n = source.exportKeys(out);
                    keys.put(each, written(each.id().name() + KEYS, ElementFormat.I64, "[" + n + "]", at, n));
                    at += n * Long.BYTES;
                }
            }
            Map<String, Written> all = new LinkedHashMap<>();
            keys.values().forEach(each -> all.put(each.name(), each));
            Path unfinished = out.flushed();
            for (RowSource source : sources) {
                TensorInfo each = source.tensor();
                Written itsKeys = keys.get(each);
                long rows = each.rows();
                String name = each.id().name();
                if (itsKeys == null) {
                    source.exportRows(out);
                } else {
                    rows = (itsKeys.end() - itsKeys.begin()) / Long.BYTES;
                    name += VALUES;
                    source.exportRows(unfinished, header + itsKeys.begin(), rows, out);
                }
                String shape =
                        each.grows() || each.width() > 1 ? "[" + rows + "," + each.width() + "]" : "[" + rows + "]";
                Written values = written(name, ElementFormat.F32, shape, at, rows * each.width());
                all.put(name, values);
                at = values.end();
            }
            out.seek(0);
            out.bytes(header(all, header));
            out.commit();
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "writing " + file.toAbsolutePath() + ": " + e, e);
        }
    }

    private static Written written(String name, ElementFormat format, String shape, long begin, long elements) {
        return new Written(name, format, shape, begin, begin + elements * format.bytes());
    }

    private static void requireNames(Path file, List<TensorInfo> tensors) {
        Set<String> names = new HashSet<>(Set.of(SafetensorsHeader.METADATA));
        for (TensorInfo each : tensors) {
            String name = each.id().name();
            for (String array : each.grows() ? List.of(name + KEYS, name + VALUES) : List.of(name)) {
                if (!names.add(array)) {
                    throw new PsException(
                            PsException.Code.BAD_REQUEST,
                            file + ": array \"" + array + "\" (expected: a name that is not used by another array)");
                }
            }
        }
    }

    /** Returns the length of the header, with its own length before it, that suffices for any number of rows. */
    private static int headerBytes(List<TensorInfo> tensors) {
        long bytes = 2;
        for (TensorInfo each : tensors) {
            Written any = written(each.id().name() + VALUES, ElementFormat.F32, "", 0, 0);
            bytes += (each.grows() ? 2 : 1) * (any.mostBytes() + 1);
        }
        if (bytes > SafetensorsHeader.MOST_BYTES) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    tensors.size() + " tensors (expected: names of at most " + SafetensorsHeader.MOST_BYTES
                            + " bytes in all)");
        }
        return (int) (bytes + 15) / 8 * 8;
    }

    private static byte[] header(Map<String, Written> arrays, int bytes) {
        StringBuilder json = new StringBuilder("{");
        arrays.values()
                .forEach(each -> json.append(json.length() > 1 ? "," : "").append(each.text()));
        byte[] text = json.append('}').toString().getBytes(StandardCharsets.UTF_8);
        byte[] header = " ".repeat(bytes).getBytes(StandardCharsets.US_ASCII);
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putLong(bytes - Long.BYTES);
        System.arraycopy(text, 0, header, Long.BYTES, text.length);
        return header;
    }

    private static String quoted(String name) {
        StringBuilder quoted = new StringBuilder("\"");
        name.chars().forEach(c -> {
            if (c < ' ') {
                quoted.append("\\u").append(HexFormat.of().toHexDigits((char) c));
            } else {
                quoted.append(c == '"' || c == '\\' ? "\\" : "").append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    /**
     * Returns the tensors of a file by their names: a growing table consists of two arrays.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be read or is damaged
     */
    static Map<String, List<FileArray>> tensors(Path file) {
        Map<String, FileArray> all = new LinkedHashMap<>();
        arrays(file).forEach(each -> all.put(each.info().name(), each));
        Map<String, List<FileArray>> tensors = new LinkedHashMap<>();
        all.forEach((name, array) -> {
            String table = name.endsWith(VALUES) ? name.substring(0, name.length() - VALUES.length()) : "";
            FileArray keys = table.isEmpty() ? null : all.get(table + KEYS);
            boolean isKeys =
                    name.endsWith(KEYS) && all.containsKey(name.substring(0, name.length() - KEYS.length()) + VALUES);
            if (keys != null) {
                tensors.put(table, List.of(keys, array));
            } else if (!isKeys) {
                tensors.put(name, List.of(array));
            }
        });
        return tensors;
    }

    /**
     * Returns the arrays of a tensor: its keys, if it has keys, and its values.
     *
     * @throws PsException as {@link #tensors}; with {@code BAD_REQUEST} if there is none of that name
     */
    static List<FileArray> tensor(Path file, String name) {
        Map<String, List<FileArray>> all = tensors(file);
        List<FileArray> arrays = all.get(name);
        if (arrays == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    file.toAbsolutePath() + ": no array \"" + name + "\" (expected: one of " + all.keySet() + ")");
        }
        return arrays;
    }

    /** Returns the arrays of a file, in the order of their bytes. */
    static List<ArrayInfo> list(Path file) {
        return arrays(file).stream().map(FileArray::info).toList();
    }

    private static List<FileArray> arrays(Path file) {
        try (ArrayReader in = new ArrayReader(file, 0)) {
            long length = in.i64();
            long most = Math.min(SafetensorsHeader.MOST_BYTES, in.size() - Long.BYTES);
            if (length < 0 || length > most) {
                throw new IllegalArgumentException("no safetensors file: its first 8 bytes say a header of "
                        + Long.toUnsignedString(length) + " bytes (expected: at most " + most + ")");
            }
            long data = length + Long.BYTES;
            SafetensorsHeader header = SafetensorsHeader.parse(in.bytes((int) length), in.size() - data);
            return header.places().entrySet().stream()
                    .map(each -> new FileArray(
                            file.toAbsolutePath(),
                            each.getKey(),
                            ElementFormat.ofSafetensors(each.getKey().type()),
                            data + each.getValue()))
                    .toList();
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(file, e);
        }
    }

    private static PsException unreadable(Path file, Exception e) {
        String reason = e instanceof IllegalArgumentException ? e.getMessage() : e.toString();
        return new PsException(PsException.Code.STORAGE, "reading " + file.toAbsolutePath() + ": " + reason, e);
    }
}
