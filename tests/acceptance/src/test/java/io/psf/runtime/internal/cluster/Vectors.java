package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.Names;
import io.psf.api.Role;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.Routing;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.tensor.InitTensor;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.runtime.spi.transport.Checksum;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes the vectors of the protocol from what they have: bytes from fields, and fields from bytes. */
final class Vectors {
    private static final FramePool POOL = new FramePool(1 << 20);
    private static final int BLOCK_LENGTH = 40;
    private static final int ARRAYS = 44;

    private Vectors() {}

    /** A function whose calls are among the vectors. */
    private record Known<Q extends Record, R extends Record>(
            Function<Q, R> function, Class<Q> request, Class<R> response) {
        Map<String, Object> made(Map<String, Object> json, boolean fresh) {
            return new CallVector<>(function, request, response, json).made(fresh);
        }
    }

    private static final List<Known<?, ?>> FUNCTIONS = List.of(
            new Known<>(ChallengePsf.FUNCTION, Challenge.Request.class, Challenge.Response.class),
            new Known<>(JoinPsf.FUNCTION, Join.Request.class, Join.Response.class),
            new Known<>(HelloPsf.FUNCTION, Hello.Request.class, Hello.Response.class),
            new Known<>(BeatPsf.FUNCTION, Beat.Request.class, Beat.Response.class),
            new Known<>(DeclarePsf.FUNCTION, Declare.Request.class, Declare.Response.class),
            new Known<>(LeavePsf.FUNCTION, Leave.Request.class, Leave.Response.class),
            new Known<>(InitTensorPsf.FUNCTION, InitTensor.Request.class, InitTensor.Response.class),
            new Known<>(DensePushPsf.FUNCTION, DensePush.Request.class, DensePush.Response.class),
            new Known<>(DensePullPsf.FUNCTION, DensePull.Request.class, DensePull.Response.class),
            new Known<>(SparsePushPsf.FUNCTION, SparsePush.Request.class, SparsePush.Response.class),
            new Known<>(SparsePullPsf.FUNCTION, SparsePull.Request.class, SparsePull.Response.class),
            new Known<>(VectorKeysPsf.FUNCTION, VectorKeys.Request.class, VectorKeys.Response.class),
            new Known<>(VectorSectionsPsf.FUNCTION, VectorSections.Request.class, VectorSections.Response.class),
            new Known<>(VectorOwnerPsf.FUNCTION, VectorOwner.Request.class, VectorOwner.Response.class));

    /** Returns the document made again; {@link CallVector#made} says how. */
    static Map<String, Object> made(Map<String, Object> file, boolean fresh) {
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("about", file.get("about"));
        made.put("numbers", each(file, "numbers", Vectors::number));
        made.put("keys", each(file, "keys", Vectors::key));
        made.put("stamps", each(file, "stamps", Vectors::stamps));
        made.put("proofs", each(file, "proofs", Vectors::proof));
        made.put("calls", each(file, "calls", json -> call(json, fresh)));
        made.put("frames", each(file, "frames", json -> frame(json, fresh)));
        return made;
    }

    private static List<Object> each(
            Map<String, Object> file,
            String section,
            java.util.function.Function<Map<String, Object>, Map<String, Object>> make) {
        List<Object> made = new ArrayList<>();
        Json.objects(file.get(section)).forEach(json -> made.add(make.apply(json)));
        return made;
    }

    private static Map<String, Object> number(Map<String, Object> json) {
        return with(json, "number", hex(Names.number(Json.string(json, "text"))));
    }

    private static Map<String, Object> key(Map<String, Object> json) {
        long key = Json.number(json, "key");
        long hash = TensorLayout.hash(key);
        Map<String, Object> made = with(json, "mixed", "0x" + HexFormat.of().toHexDigits(hash));
        made.put("place", TensorLayout.position(hash));
        made.put("partition", Routing.partition(key));
        return made;
    }

    private static Map<String, Object> stamps(Map<String, Object> json) {
        TensorLayout layout = Json.to(CallVector.Place.class, json).layout(null);
        List<Object> stamps = new ArrayList<>();
        for (int slice = 0; slice < layout.slices(); slice++) {
            stamps.add("0x" + HexFormat.of().toHexDigits(layout.stamp(slice)));
        }
        return with(json, "stamps", stamps);
    }

    /** The proofs and credentials that a node computes from a secret. */
    private record Secrets(
            String secret,
            byte[] key,
            Role role,
            int rank,
            long since,
            long cluster,
            byte[] nonce,
            Host host,
            Hello.InSession session) {}

    private record Host(Role role, int rank) {}

    private static Map<String, Object> proof(Map<String, Object> json) {
        Secrets given = Json.to(Secrets.class, json);
        Ticket ticket = new Tickets(given.cluster, given.key).of(given.role, given.rank, given.since);
        Member host = new Member(given.host.role, given.host.rank, "127.0.0.1", 4081);
        long session = given.session.session();
        Join.Request join =
                new Join.Request(Protocol.OWN, given.role, given.rank, new Join.Address("", 0), session, new byte[0]);
        Map<String, Object> made = new LinkedHashMap<>(json);
        made.put("credential", Json.of(new SharedSecret(given.secret).credential(join, given.nonce)));
        made.put("ticket", Json.of(ticket.secret()));
        made.put(
                "proof",
                Json.of(ticket.hello(host, session, given.session.connection(), given.nonce)
                        .proof()));
        return made;
    }

    private static Map<String, Object> call(Map<String, Object> json, boolean fresh) {
        return FUNCTIONS.stream()
                .filter(known -> known.function.info().name().equals(json.get("function")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("function: " + json.get("function")))
                .made(json, fresh);
    }

    /** The frames that are neither requests nor answers, and checksums. */
    private static Map<String, Object> frame(Map<String, Object> json, boolean fresh) {
        Map<String, Object> body = Json.object(json.get("body"));
        Frame written = switch (Frame.Kind.valueOf(Json.string(Json.object(json.get("header")), "kind"))) {
            case PING -> Frames.ping(POOL);
            case CHECK -> Frames.check(POOL);
            default -> {
                long[] calls = Json.list(body, "calls").stream()
                        .mapToLong(each -> ((Number) each).longValue())
                        .toArray();
                long below = Json.number(Json.object(json.get("header")), "call");
                yield Frames.done(POOL, below, calls);
            }
        };
        Frame read = fresh ? written : frame(json);
        Map<String, Object> now = new LinkedHashMap<>();
        if (read.kind() == Frame.Kind.DONE) {
            List<Object> calls = new ArrayList<>();
            for (long call : read.reader(null).longs()) {
                calls.add(call);
            }
            now.put("calls", calls);
        }
        Map<String, Object> made = new LinkedHashMap<>(json);
        made.putAll(json(read, now, written));
        ByteBuffer prefix = ByteBuffer.allocate(Checksum.PREFIX).order(ByteOrder.LITTLE_ENDIAN);
        new Checksum().write(prefix, 0, read.bytes(), 0, read.length());
        made.put("checksum", Json.of(prefix.array()));
        return made;
    }

    /** Returns the frame that a part of the file has as digits. */
    static Frame frame(Map<String, Object> json) {
        byte[] bytes = HexFormat.of()
                .parseHex(String.join(
                        "", Json.list(json, "hex").stream().map(String::valueOf).toList()));
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (Frame.length(buffer, 0, bytes.length) != bytes.length) {
            throw new IllegalArgumentException("length: " + buffer.getInt(0) + " (expected: " + bytes.length + ")");
        }
        return Frame.of(buffer);
    }

    /**
     * Returns a frame as the file has it.
     *
     * @param read has the header's fields
     * @param body what the body of that frame was read as
     * @param written has the bytes
     */
    static Map<String, Object> json(Frame read, Object body, Frame written) {
        boolean isRequest = read.kind() == Frame.Kind.REQUEST;
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("length", read.length());
        header.put("kind", read.kind().name());
        header.put("priority", read.priority());
        header.put("version", read.version());
        header.put("function", hex(read.function()));
        header.put("fingerprint", hex(read.fingerprint()));
        header.put("tensor", hex(read.tensor()));
        header.put("slice", read.slice());
        header.put("call", read.call());
        header.put(
                isRequest ? "timeout" : "status",
                isRequest ? (Object) read.timeout() : read.status().name());
        header.put("attempt", read.attempt());
        header.put("layout", "0x" + HexFormat.of().toHexDigits(read.layout()));
        header.put("blockLength", read.bytes().getInt(BLOCK_LENGTH));
        header.put("arrays", read.bytes().getInt(ARRAYS));
        Map<String, Object> json = new LinkedHashMap<>();
        if (read.isRefusal()) {
            json.put("refused", read.status().name());
        }
        json.put("header", header);
        json.put("body", body);
        json.put("hex", pieces(written));
        return json;
    }

    /**
     * Returns the header, the block, the table of arrays, and the arrays, as digits. Those that are empty are missing.
     */
    static List<Object> pieces(Frame frame) {
        int block = (frame.bytes().getInt(BLOCK_LENGTH) + 7) / 8 * 8;
        int table = 8 * frame.bytes().getInt(ARRAYS);
        int[] ends = {Frame.HEADER, Frame.HEADER + block, Frame.HEADER + block + table, frame.length()};
        List<Object> pieces = new ArrayList<>();
        int from = 0;
        for (int end : ends) {
            byte[] bytes = new byte[end - from];
            frame.bytes().get(from, bytes);
            if (bytes.length > 0) {
                pieces.add(HexFormat.of().formatHex(bytes));
            }
            from = end;
        }
        return pieces;
    }

    private static Map<String, Object> with(Map<String, Object> json, String key, Object value) {
        Map<String, Object> made = new LinkedHashMap<>(json);
        made.put(key, value);
        return made;
    }

    private static String hex(int number) {
        return "0x" + HexFormat.of().toHexDigits(number);
    }
}
