package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What nested records and enums got later, between peers of several versions; and the bytes of the newer types. */
class GrownTest {
    private static final TensorLayout TWO_SLICES =
            TensorLayout.even(new TensorInfo(LawTest.TENSOR, 4, 1), new int[] {0, 1});

    private static final Function<Object, Object> GROWN = LawTest.function("good.GrownWithin");
    private static final Function<Object, Object> SEVERAL = LawTest.function("good.Several");

    /** The merge of a response without laid-out arrays does not look at the request. */
    @SuppressWarnings("NullAway")
    private static final Object NOT_LOOKED_AT = null;

    private final TupleWriter out = new TupleWriter();

    private static Object record(String name, @Nullable Object... values) {
        return Tuples.of(LawTest.type(name), values);
    }

    private static Object constant(String type, int ordinal) {
        return LawTest.type(type).getEnumConstants()[ordinal];
    }

    private static Object point(int mode) {
        return record(
                "good.GrownWithin$Point",
                1f,
                constant("good.GrownWithin$Mode", mode),
                2f,
                record("good.GrownWithin$Name", "f", "l"),
                Map.of("k", 9));
    }

    private static Object request(Object strict) {
        return record(
                "good.GrownWithin$Request",
                LawTest.TENSOR,
                point(0),
                List.of(point(1), point(3)),
                record("good.GrownWithin$Name", "n", null),
                strict,
                point(2),
                List.of(record("good.GrownWithin$Name", "a", "b")));
    }

    private String written(Object request) {
        out.reset();
        GROWN.write(request, Routing.overSlices(GROWN, request, TWO_SLICES), 0, out);
        return hex();
    }

    /** The block, without padding. */
    private String hex() {
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return HexFormat.of().formatHex(body.array(), 0, out.blockLength());
    }

    /** They change only with a new protocol. */
    @Test
    void theBytesOfWhatHasGrownAreThese() {
        String version4 = "01" + "01000000" + "6c" // the last name
                + "01000000" + "01000000" + "6b" + "09000000"; // counts
        assertThat(written(request(constant("good.GrownWithin$Strict", 0))))
                .isEqualTo("0000803f" + "00000000" // point
                        + "02000000" + "0000803f" + "01000000" + "0000803f" + "03000000" // points
                        + "01" + "01000000" + "6e" + "00000000" // name, strict
                        + "0000803f" + "02000000" + "00000040" // later: its own version 3
                        + "01000000" + "66" // the name in it, without what version 4 brought
                        + "01000000" + "01000000" + "61" + "01" + "01000000" + "62" // names, of version 4
                        + "00000040".repeat(3) // version 2 of point and points
                        + ("01000000" + "66").repeat(3) // version 3 of them: the name without what version 4 brought
                        + version4.repeat(3) + "00" + version4 // of point, points, name and later
                        + "0c000000" + "0f000000" + "4d000000"); // bytes of versions 2, 3 and 4
    }

    @Test
    void aNewerPeerReadsWhatAnOlderOneSends() {
        out.f32(1);
        out.i32(1);
        out.count(1);
        out.f32(3);
        out.i32(0);
        out.bool(false);
        out.i32(0);
        assertThat(Tuples.text(GROWN.read(LawTest.reader(out, 1, LawTest.TENSOR))))
                .isEqualTo("[tensor=t,"
                        + " point=[x=1.0, mode=EXACT, y=0.0, name=[first=, last=null], counts=[]],"
                        + " points=[[x=3.0, mode=FAST, y=0.0, name=[first=, last=null], counts=[]]],"
                        + " name=null, strict=A,"
                        + " later=[x=0.0, mode=FAST, y=0.0, name=[first=, last=null], counts=[]],"
                        + " names=[]]");
    }

    @Test
    void anOlderPeerReadsWhatItKnowsOfANewerOne() {
        written(request(constant("good.GrownWithin$Strict", 0)));
        TupleReader in = LawTest.reader(out, 4, LawTest.TENSOR);
        in.sections(2, 2); // as version 2 has it
        assertThat(in.f32()).isEqualTo(1);
        assertThat(in.i32()).isZero();
        assertThat(in.since(2).f32()).isEqualTo(2);
        assertThat(in.count(8)).isEqualTo(2);
        assertThat(in.f32()).isEqualTo(1);
        assertThat(in.i32()).isEqualTo(1);
        assertThat(in.since(2).f32()).isEqualTo(2);
    }

    @Test
    void aConstantThatAPeerDoesNotHaveIsRefusedOrUnknown() {
        out.f32(1);
        out.i32(77);
        out.count(0);
        out.bool(false);
        out.i32(0);
        assertThat(Tuples.text(GROWN.read(LawTest.reader(out, 1, LawTest.TENSOR))))
                .contains("mode=OTHER");
        out.reset();
        out.f32(1);
        out.i32(0);
        out.count(0);
        out.bool(false);
        out.i32(2);
        TupleReader in = LawTest.reader(out, 1, LawTest.TENSOR);
        assertThatThrownBy(() -> GROWN.read(in))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.SCHEMA_MISMATCH))
                .hasMessageContaining("constant of enum Strict: number 2 (expected: 0 to 1, one of [A, B];");
    }

    @Test
    void versionsOfARecordAndOfAnEnumAreThoseOfTheFunction() {
        assertThat(GROWN.info().version()).isEqualTo(4);
        assertThat(GROWN.info().formerly()).containsExactly("acme.grown-inside", "acme.old");
        assertThat(GROWN.info().schemas().get(0))
                .isEqualTo("acme.grown-within at SHARD (tensor:tensor, point:{x:f32, mode:enum(FAST|EXACT|OTHER)},"
                        + " points:list of {x:f32, mode:enum(FAST|EXACT|OTHER)}, name:{first:string}?, strict:enum(A))"
                        + " -> (names:list of {first:string})");
    }

    /** They change only with a new protocol. */
    @Test
    void theBytesOfListsAndMapsAreThese() {
        Map<String, Integer> sums = new LinkedHashMap<>();
        sums.put("b", 2);
        sums.put("a", -1);
        SEVERAL.writeAnswer(
                record(
                        "good.Several$Response",
                        List.of("x", "\u00e4"),
                        Map.of("k", "v"),
                        sums,
                        Map.of("t", true),
                        List.of(4L),
                        Map.of()),
                out);
        assertThat(hex())
                .isEqualTo("02000000" + "01000000" + "78" + "02000000" + "c3a4" // words
                        + "01000000" + "01000000" + "6b" + "01000000" + "76" // text
                        + "02000000" + "01000000" + "62" + "02000000" + "01000000" + "61" + "ffffffff" // sums
                        + "01000000" + "01000000" + "74" + "01" // all
                        + "01000000" + "0400000000000000" + "00000000"); // version 2
    }

    @Test
    void mapsOfSeveralSlicesAreFoldedKeyByKeyAndOthersHaveKeysOfTheirOwn() {
        assertThat(Tuples.text(merged(Map.of("a", "1"), Map.of("b", "2"))))
                .isEqualTo("[words=[w, w], text=[a=1, b=2], sums=[n=6], all=[h=false, i=true],"
                        + " laterLongs=[], laterSums=[]]");
        assertThatThrownBy(() -> merged(Map.of("a", "1"), Map.of("a", "1")))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.HANDLER_FAILED))
                .hasMessageContaining("key \"a\" of text in the answers of several slices (expected: in one of them;");
    }

    private Object merged(Map<String, String> first, Map<String, String> second) {
        Merge<Object> merge = SEVERAL.merge(NOT_LOOKED_AT, Routing.overNodes(2), null);
        for (int part = 1; part >= 0; part--) {
            out.reset();
            SEVERAL.writeAnswer(
                    record(
                            "good.Several$Response",
                            List.of("w"),
                            part == 0 ? first : second,
                            Map.of("n", 2 + 2 * part),
                            part == 0 ? Map.of("h", true) : new LinkedHashMap<>(Map.of("h", false, "i", true)),
                            List.of(),
                            Map.of()),
                    out);
            merge.add(part, LawTest.reader(out, 1, null));
            merge.decode(part);
        }
        return merge.result();
    }

    @Test
    void whatIsReadKeepsItsOrderAndCannotBeChanged() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (int i = 50; i > 0; i--) {
            counts.put("key " + i * 7 % 51, i);
        }
        Object point = record(
                "good.GrownWithin$Point",
                1f,
                constant("good.GrownWithin$Mode", 0),
                2f,
                record("good.GrownWithin$Name", "", null),
                counts);
        Object strict = constant("good.GrownWithin$Strict", 0);
        written(record("good.GrownWithin$Request", LawTest.TENSOR, point, List.of(), null, strict, point, List.of()));
        Object request = GROWN.read(LawTest.reader(out, 4, LawTest.TENSOR));
        Map<String, Integer> read = Tuples.get(Tuples.<Object>get(request, "point"), "counts");
        assertThat(read.entrySet()).containsExactlyElementsOf(counts.entrySet());
        assertThatThrownBy(() -> read.put("x", 1)).isInstanceOf(UnsupportedOperationException.class);
    }
}
