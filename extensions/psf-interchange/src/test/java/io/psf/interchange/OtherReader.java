package io.psf.interchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A reader of safetensors and npy files, written from the descriptions of the formats. It shares no code with psf. */
final class OtherReader {
    private static final Pattern ENTRY = Pattern.compile(
            "\"([^\"]+)\":\\{\"dtype\":\"(\\w+)\",\"shape\":\\[([\\d,]*)],\"data_offsets\":\\[(\\d+),(\\d+)]}");
    private static final Pattern NPY =
            Pattern.compile("\\{'descr': '(...)', 'fortran_order': False, 'shape': \\(([\\d, ]*)\\), } *\n");

    private OtherReader() {}

    /** An array: float[] or long[]. */
    record Content(List<Integer> shape, Object values) {}

    static Map<String, Content> safetensors(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        long length = bytes.getLong();
        assertThat(length % 8).isZero();
        byte[] json = new byte[(int) length];
        bytes.get(json);
        ByteBuffer data = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        String text = new String(json, StandardCharsets.UTF_8).stripTrailing();
        assertThat(text).startsWith("{").endsWith("}");
        Map<String, Content> arrays = new TreeMap<>();
        Matcher entry = ENTRY.matcher(text);
        int covered = 0;
        int at = 1;
        while (entry.find()) {
            assertThat(entry.start()).isEqualTo(at);
            at = entry.end() + 1; // the comma, or the last brace
            int begin = Integer.parseInt(entry.group(4));
            int end = Integer.parseInt(entry.group(5));
            covered += end - begin;
            ByteBuffer part = data.slice(begin, end - begin).order(ByteOrder.LITTLE_ENDIAN);
            arrays.put(entry.group(1), content(entry.group(2), entry.group(3), part));
        }
        assertThat(at).isEqualTo(text.length());
        assertThat(covered).isEqualTo(data.limit());
        return arrays;
    }

    static Content npy(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[8];
        bytes.get(magic);
        assertThat(magic).containsExactly(0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0);
        byte[] header = new byte[bytes.getShort()];
        bytes.get(header);
        assertThat(bytes.position() % 64).isZero();
        Matcher matcher = NPY.matcher(new String(header, StandardCharsets.US_ASCII));
        assertThat(matcher.matches()).isTrue();
        ByteBuffer data = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        return content(matcher.group(1).equals("<f4") ? "F32" : "I64", matcher.group(2), data);
    }

    private static Content content(String type, String dimensions, ByteBuffer data) {
        List<Integer> shape = new ArrayList<>();
        int n = 1;
        for (String each : dimensions.replace(" ", "").split(",", 0)) {
            shape.add(Integer.parseInt(each));
            n *= shape.get(shape.size() - 1);
        }
        assertThat(data.limit()).isEqualTo(n * (type.equals("F32") ? 4 : 8));
        if (type.equals("F32")) {
            float[] values = new float[n];
            data.asFloatBuffer().get(values);
            return new Content(shape, values);
        }
        assertThat(type).isEqualTo("I64");
        long[] values = new long[n];
        data.asLongBuffer().get(values);
        return new Content(shape, values);
    }
}
