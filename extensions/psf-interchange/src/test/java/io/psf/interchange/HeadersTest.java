package io.psf.interchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Headers that are damaged, or made to do damage. */
class HeadersTest {
    @TempDir
    private Path folder;

    static Path file(Path folder, String json, byte[] data) throws IOException {
        byte[] header = json.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(8 + header.length + data.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(header.length).put(header).put(data);
        return Files.write(folder.resolve("x.safetensors"), bytes.array());
    }

    private static String array(String name, String type, String shape, long begin, long end) {
        return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + shape + "],\"data_offsets\":[" + begin + ","
                + end + "]}";
    }

    private void refused(String json, int data, String... words) throws IOException {
        Path file = file(folder, json, new byte[data]);
        assertThatThrownBy(() -> SafetensorsFile.list(file))
                .as(json.substring(0, Math.min(100, json.length())))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE))
                .hasMessageContaining("x.safetensors")
                .hasMessageNotContaining("\n")
                .hasMessageContainingAll(words);
    }

    @Test
    void arraysAreFoundInAnyOrderAndForm() throws IOException {
        String json = " { \"__metadata__\" : {\"a\":\"b\\u00e9\\n\", \"c\":\"\"},\n"
                + array("\\u00e9 \\\"q\\\"", "F32", "2,1", 6, 14) + " , " + array("b", "F8_E4M3", "3", 0, 3) + ","
                + array("c", "BOOL", "3", 3, 6) + "," + array("d", "F64", "0,5", 6, 6) + "} \n";
        assertThat(SafetensorsFile.list(file(folder, json, new byte[14])))
                .containsExactly(
                        new ArrayInfo("b", "F8_E4M3", List.of(3L)),
                        new ArrayInfo("c", "BOOL", List.of(3L)),
                        new ArrayInfo("d", "F64", List.of(0L, 5L)),
                        new ArrayInfo("é \"q\"", "F32", List.of(2L, 1L)));
        assertThat(SafetensorsFile.list(file(folder, "{}", new byte[0]))).isEmpty();
    }

    @Test
    void aNameWithALineFeedWritesNoLine() throws IOException {
        String a = array("a\\nb", "F32", "2", 0, 8);
        refused("{" + a + "," + a + "}", 8, "\"a\\u000ab\": twice");
        refused("{" + array("a\\nb", "F32", "3", 0, 8) + "}", 8, "length of array \"a\\u000ab\": 8 bytes");
        refused("{" + array("a\\nb", "F32", "4294967296,4294967296", 0, 0) + "}", 0, "shape of array \"a\\u000ab\"");
        refused("{\"a\":{\"a\\nb\":\"F32\"}}", 0, "field of array \"a\": \"a\\u000ab\"");
    }

    @Test
    void headersThatContradictTheFileAreRefused() throws IOException {
        String a = array("a", "F32", "2", 0, 8);
        refused("{" + a + "," + a + "}", 8, "\"a\": twice");
        refused("{" + a + "," + array("b", "F32", "2", 4, 12) + "}", 12, "begin of array \"b\": 4", "8");
        refused("{" + a + "," + array("b", "F32", "1", 12, 16) + "}", 16, "begin of array \"b\": 12", "8");
        refused("{" + a + "}", 7, "bytes after the header: 7 (expected: 8");
        refused("{" + a + "}", 12, "bytes after the header: 12 (expected: 8");
        refused("{" + array("a", "F32", "3", 0, 8) + "}", 8, "length of array \"a\": 8 bytes (expected: 12)");
        refused("{" + array("a", "F32", "2", 8, 0) + "}", 8, "begin of array");
        refused("{" + array("a", "XYZ", "2", 0, 8) + "," + array("b", "XYZ", "2", 8, 7) + "}", 7, "order");
        refused("{" + array("a", "F32", "4294967296,4294967296", 0, 0) + "}", 0, "2^63 - 1 elements");
        refused("{" + array("a", "F32", "4611686018427387904", 0, 0) + "}", 0, "2^63 - 1 bytes");
        refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0, "array \"a\"", "data_offsets");
        refused("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "\"dtype\": twice");
        refused("{\"a\":{\"more\":\"F32\"}}", 0, "field of array \"a\": \"more\"");
        refused("{\"__metadata__\":{\"a\":1}}", 0, "a string");
        refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice");
    }

    @Test
    void textThatIsNoHeaderIsRefused() throws IOException {
        for (String each : List.of(
                "",
                "{",
                "[]",
                "{}x",
                "{,}",
                "{\"a\"}",
                "{\"a",
                "{\"a\\",
                "{\"a\\x\":1}",
                "{\"a\\u12g4\":1}",
                "{\"a\\u12",
                "{\"a\n\":1}",
                "{'a':1}",
                "{\"a\":{\"shape\":[-1]}}",
                "{\"a\":{\"shape\":[1.5]}}",
                "{\"a\":{\"shape\":[99999999999999999999]}}",
                "{\"a\":{\"shape\":[1,]}}",
                "{\"a\":".repeat(100_000),
                "[".repeat(1_000_000))) {
            refused(each, 0, "expected");
        }
    }

    @Test
    void filesThatEndTooEarlyAreRefused() throws IOException {
        byte[] whole = Files.readAllBytes(file(folder, "{" + array("a", "F32", "2", 0, 8) + "}", new byte[8]));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            Path file = Files.write(folder.resolve("cut"), cut);
            assertThatThrownBy(() -> SafetensorsFile.list(file))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("cut");
        }
        for (long length : new long[] {100_000_000, 100_000_001, Long.MAX_VALUE, -1}) {
            ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).putLong(length);
            Path file = Files.write(folder.resolve("long"), whole);
            assertThatThrownBy(() -> SafetensorsFile.list(file)).hasMessageContaining("header of");
        }
    }

    @Test
    void randomChangesAreAnErrorOfTheFileOrNone() throws IOException {
        String json = "{\"__metadata__\":{\"a\":\"b\\u00e9\"}," + array("a", "F32", "2,1", 0, 8) + ","
                + array("b", "F8_E4M3", "3", 8, 11) + "}";
        byte[] whole = Files.readAllBytes(file(folder, json, new byte[11]));
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            byte[] changed = whole.clone();
            changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            changed[random.nextInt(changed.length)] = "{}[]:,\"\\09a".getBytes(StandardCharsets.US_ASCII)[i % 11];
            Path file = Files.write(folder.resolve("changed"), changed);
            try {
                assertThat(SafetensorsFile.list(file)).hasSizeLessThan(4);
            } catch (PsException e) {
                assertThat(e.code()).isEqualTo(PsException.Code.STORAGE);
            }
        }
    }

    @Test
    void headersOfNpyAreReadAndWritten() {
        for (List<Long> shape : List.of(List.<Long>of(), List.of(5L), List.of(1L, 2L), List.of(1L << 60, 0L, 3L))) {
            byte[] written = NpyHeader.write(ElementFormat.F32, shape);
            assertThat(written.length % 64).isZero();
            byte[] text = Arrays.copyOfRange(written, NpyHeader.PREFIX, written.length);
            assertThat(NpyHeader.parse(text)).isEqualTo(new ArrayInfo("", "<f4", shape));
        }
        assertThat(npy("{\"shape\":(3,4),\"descr\":'<i8','fortran_order':False}")
                        .shape())
                .containsExactly(3L, 4L);
        for (String each : List.of(
                "",
                "{}",
                "{'descr': '<f4', 'descr': '<f4', 'shape': ()}",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (1)} x",
                "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "(".repeat(100_000))) {
            assertThatThrownBy(() -> npy(each)).as(each).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static ArrayInfo npy(String text) {
        return NpyHeader.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
