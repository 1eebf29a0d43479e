package io.psf.builtin.push;

import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The pushes of rounds that an earlier shard of the slice took and did not answer. Their callers send them again; each
 * is answered then, and its update is not added a second time. Used on the shard's lane.
 */
final class TakenPushes {
    private final Map<Call, DeferredAnswer<Object>> waiting = new HashMap<>();

    private record Call(int worker, long number) {}

    /** Returns true if there is no such push. */
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Forgets all pushes. */
    void clear() {
        waiting.clear();
    }

    /** Adds a push of an open round. */
    Push<Object> add(int worker, long call, DeferredAnswer.Reason waitsFor) {
        Push<Object> push = new Push<>(call, () -> TakenPushes.class, null, waitsFor);
        waiting.put(new Call(worker, call), push.answered());
        return push;
    }

    /** Removes a push that has come again, and returns its answer; null for a new push. */
    @Nullable
    DeferredAnswer<Object> remove(int worker, long call) {
        return waiting.remove(new Call(worker, call));
    }

    /** Forgets the pushes of workers that have left. */
    void retain(List<Member> members) {
        Set<Integer> present = new HashSet<>();
        for (Member member : members) {
            if (member.role() == Role.WORKER) {
                present.add(member.rank());
            }
        }
        waiting.keySet().removeIf(call -> !present.contains(call.worker()));
    }

    /** Writes the pushes whose rounds have closed, with the failures of these. */
    void writeClosed(DataOutputStream out) throws IOException {
        for (Map.Entry<Call, DeferredAnswer<Object>> each : waiting.entrySet()) {
            if (each.getValue().isDone()) {
                out.writeBoolean(true);
                out.writeInt(each.getKey().worker());
                out.writeLong(each.getKey().number());
                writeFailure(failure(each.getValue()), out);
            }
        }
        out.writeBoolean(false);
    }

    void readClosed(DataInputStream in) throws IOException {
        while (in.readBoolean()) {
            Push<Object> push = add(in.readInt(), in.readLong(), () -> "");
            PsException failure = readFailure(in);
            if (failure == null) {
                push.complete();
            } else {
                push.answered().completeExceptionally(failure);
            }
        }
    }

    private static @Nullable Throwable failure(DeferredAnswer<Object> answer) {
        try {
            var unused = answer.join();
            return null;
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    static void writeFailure(@Nullable Throwable failure, DataOutputStream out) throws IOException {
        out.writeBoolean(failure != null);
        if (failure != null) {
            boolean known = failure instanceof PsException;
            PsException.Code code = known ? ((PsException) failure).code() : PsException.Code.HANDLER_FAILED;
            String detail = known ? ((PsException) failure).detail() : failure.toString();
            out.writeInt(code.ordinal());
            out.writeUTF(detail.substring(0, Math.min(detail.length(), 4096)));
        }
    }

    static @Nullable PsException readFailure(DataInputStream in) throws IOException {
        if (!in.readBoolean()) {
            return null;
        }
        int code = in.readInt();
        return new PsException(PsException.Code.values()[code], in.readUTF());
    }
}
