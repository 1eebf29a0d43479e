package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TupleTest {
    private static final String EMOJI = "\ud83d\ude00";

    private enum Mode {
        FAST,
        EXACT,
        OTHER
    }

    private final TupleWriter out = new TupleWriter();

    private TupleReader reader(int version) {
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return new TupleReader(body.flip(), out.blockLength(), out.arrays(), version, null);
    }

    private String hex() {
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return HexFormat.of().formatHex(Arrays.copyOf(body.array(), out.blockLength()));
    }

    private static PsException.Code code(Runnable read) {
        return catchThrowableOfType(PsException.class, read::run).code();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "what?", "12345678?", "\u00e4\u2603", EMOJI, "?" + EMOJI + "?", "\ufffd", "a\u0000b"})
    void aTextIsReadAsItWasWritten(String text) {
        out.string(text);
        out.string("behind");
        TupleReader in = reader(1);
        assertThat(in.string()).isEqualTo(text);
        assertThat(in.string()).isEqualTo("behind");
    }

    /** The objects of a frame are counted before they are made. */
    @Test
    void whatIsReadTakesMemoryBeforeItIsMadeAndExactlyAfterwards() {
        out.count(1000);
        for (int i = 0; i < 1000; i++) {
            out.string("a");
        }
        out.floats(new float[100_000]);
        List<Long> taken = new ArrayList<>();
        TupleReader in = reader(1);
        in.countIn(taken::add);
        assertThat(in.count(4)).isEqualTo(1000);
        assertThat(taken).as("for 1000 elements").containsExactly(96L + 1000 * 72);
        for (int i = 0; i < 1000; i++) {
            in.string();
        }
        in.floats();
        in.settle();
        assertThat(taken).hasSizeLessThan(10);
        assertThat(taken.stream().mapToLong(each -> each).sum()).isEqualTo(96 + 1000 * 72 + 1000 * 74 + 16 + 400_000);
    }

    @Test
    void aTupleThatWouldTakeMoreThanThereIsIsNotMade() {
        out.count(1_000_000);
        for (int i = 0; i < 1_000_000; i++) {
            out.i8((byte) 0);
        }
        TupleReader in = reader(1);
        in.countIn(bytes -> {
            throw new PsException(PsException.Code.RESOURCE_EXHAUSTED, "bytes: " + bytes);
        });
        assertThatThrownBy(() -> in.count(1)).hasMessage("RESOURCE_EXHAUSTED: bytes: 66000096");
    }

    @Test
    void aSmallTupleTakesNothing() {
        out.count(3);
        out.string("a text of some length");
        out.longs(new long[10]);
        TupleReader in = reader(1);
        in.countIn(bytes -> {
            throw new AssertionError(bytes);
        });
        in.count(4);
        in.string();
        in.longs();
        in.settle();
    }

    @Test
    void halfOfASurrogatePairIsAnErrorThatNamesItsPlace() {
        String[] texts = {"ab\ud83d", "ab\ude00", "ab\ud83dx", "ab\ude00\ud83d", "\u00e41\ud83d", "?!\ud83d\ud83d\ude00"
        };
        for (String text : texts) {
            assertThatThrownBy(() -> out.string(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching(
                            "text: character 2: U\\+D(83D|E00) \\(expected: both halves of a surrogate pair;"
                                    + " UTF-8 cannot encode one half\\)");
        }
        for (int before = 0; before < 40; before++) { // wherever it falls among the bytes
            String text = "x".repeat(before) + "\udc00" + "y".repeat(40 - before);
            assertThatThrownBy(() -> out.string(text)).hasMessageContaining("character " + before + ": U+DC00");
        }
    }

    @Test
    void theNameOfATensorHasNoHalfOfASurrogatePair() {
        assertThat(TensorId.of(EMOJI).name()).isEqualTo(EMOJI);
        assertThatThrownBy(() -> TensorId.of("w\ud83d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name of tensor: character 1: U+D83D");
    }

    @ParameterizedTest
    @CsvSource({"6180, 1", "c3, 0", "616263ff, 3", "eda080, 0", "c080, 0", "efbfbdf8, 3", "f09f98, 0"})
    void bytesThatAreNotUtf8AreRefused(String bytes, int at) {
        out.bytes(HexFormat.of().parseHex(bytes));
        PsException e = catchThrowableOfType(PsException.class, () -> reader(1).string());
        assertThat(e.code()).isEqualTo(PsException.Code.PROTOCOL);
        assertThat(e).hasMessageContaining("text: byte " + at + " of " + bytes.length() / 2 + " (expected: UTF-8)");
        assertThat(code(() -> reader(1).tensor())).isEqualTo(PsException.Code.PROTOCOL);
    }

    @Test
    void aConstantThatThisSideDoesNotHaveIsRefusedOrStandsForUnknownOnes() {
        out.i32(3);
        PsException e = catchThrowableOfType(PsException.class, () -> reader(1).enumeration(Mode.values()));
        assertThat(e.code()).isEqualTo(PsException.Code.SCHEMA_MISMATCH);
        assertThat(e)
                .hasMessageContaining("constant of enum Mode: number 3 (expected: 0 to 2, one of [FAST, EXACT, OTHER];"
                        + " the peer's enum is newer, and no constant of this one is @Unknown)");
        assertThat(reader(1).enumeration(Mode.values(), Mode.OTHER)).isEqualTo(Mode.OTHER);
        out.reset();
        out.i32(-1);
        assertThat(code(() -> reader(1).enumeration(Mode.values()))).isEqualTo(PsException.Code.PROTOCOL);
        assertThat(code(() -> reader(1).enumeration(Mode.values(), Mode.OTHER))).isEqualTo(PsException.Code.PROTOCOL);
    }

    @Test
    void booleansTakeOneByteEach() {
        out.booleans(new boolean[] {true, false, true});
        assertThat(hex()).isEqualTo("03000000" + "010001");
        assertThat(reader(1).booleans()).containsExactly(true, false, true);
        out.reset();
        out.bytes(new byte[] {1, 2});
        assertThat(code(() -> reader(1).booleans())).isEqualTo(PsException.Code.PROTOCOL);
        out.reset();
        out.count(1 << 30);
        assertThat(code(() -> reader(1).booleans())).isEqualTo(PsException.Code.PROTOCOL);
    }

    @Test
    void aKeyThatComesTwiceIsRefused() {
        Map<String, Integer> map = new LinkedHashMap<>();
        TupleReader.put(map, "a", 1);
        assertThatThrownBy(() -> TupleReader.put(map, "a", 1))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("map: key \"a\" twice (expected: once)");
    }

    /** The bytes of the protocol: what came later stands behind what older peers read, its lengths last. */
    @Test
    void whatNestedRecordsGotLaterStandsInSectionsAtTheEnd() {
        for (int round = 0; round < 2; round++) { // a writer is used again
            out.reset();
            out.i32(1);
            out.since(2).i8((byte) 0x22);
            out.since(4).i16((short) 0x4444);
            out.since(4).since(2).i8((byte) 0x23);
            out.i32(5);
            out.sections(2, 4);
            assertThat(hex())
                    .isEqualTo("01000000" + "05000000" // what version 1 reads
                            + "2223" + "" + "4444" // of versions 2, 3 and 4
                            + "02000000" + "00000000" + "02000000"); // their lengths
        }
        TupleReader in = reader(4);
        in.sections(2, 3); // this side has version 3
        assertThat(in.i32()).isEqualTo(1);
        assertThat(in.since(2).i8()).isEqualTo((byte) 0x22);
        assertThat(in.since(3).has(4)).isTrue();
        assertThat(in.since(3).since(2).i8()).isEqualTo((byte) 0x23);
        assertThat(code(() -> in.since(3).i8())).isEqualTo(PsException.Code.PROTOCOL);
        assertThat(code(() -> in.since(2).i8())).isEqualTo(PsException.Code.PROTOCOL);
        assertThat(in.i32()).isEqualTo(5);
        assertThat(code(in::i8)).as("behind the last component").isEqualTo(PsException.Code.PROTOCOL);

        TupleReader old = reader(1);
        old.sections(2, 4);
        assertThat(old.has(2)).isFalse();
        assertThat(old.i32()).isEqualTo(1);
    }

    @Test
    void sectionsThatDoNotFitIntoTheBlockAreRefused() {
        out.i32(7);
        assertThat(code(() -> reader(3).sections(2, 3)))
                .as("no place for two lengths")
                .isEqualTo(PsException.Code.PROTOCOL);
        for (int length : new int[] {5, -1, Integer.MAX_VALUE}) {
            out.reset();
            out.i32(7);
            out.i32(length);
            assertThat(code(() -> reader(2).sections(2, 2))).isEqualTo(PsException.Code.PROTOCOL);
        }
        out.reset();
        out.count(2);
        out.since(2).i64(1);
        out.sections(2, 2);
        TupleReader in = reader(2);
        in.sections(2, 2);
        assertThat(code(() -> in.count(1))).as("elements in place of a section").isEqualTo(PsException.Code.PROTOCOL);
        assertThat(code(() -> reader(65_535).sections(2, 2))).isEqualTo(PsException.Code.PROTOCOL);
    }

    @Test
    void aFunctionIsKnownUnderItsFormerNames() {
        FunctionInfo info = FunctionInfo.of("acme.new", io.psf.api.Place.SHARD, true, "acme.new at SHARD () -> ()")
                .formerly("acme.old");
        FunctionInfo before = FunctionInfo.of("acme.old", io.psf.api.Place.SHARD, true, "acme.old at SHARD () -> ()");
        assertThat(info.as("acme.old")).isEqualTo(before);
        assertThat(info.as("acme.old").fingerprint()).isEqualTo(before.fingerprint());
    }
}
