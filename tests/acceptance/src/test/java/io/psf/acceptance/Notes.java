package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps texts beside rows of a second table: elements that go to the owner of a key of theirs. */
@PsFunction("acceptance.notes")
interface Notes {
    record Note(String text, long row) {}

    record Before(String text, int slice) {}

    record Request(
            TensorId table,
            TensorId other,
            @ByKey("row") List<Note> notes,
            @ByKey(value = "row", of = "other") List<Note> ofOther) {}

    /** The notes before each, and where they were. */
    record Response(
            @Along("notes") List<Before> before,
            @Along("ofOther") List<Before> beforeOfOther) {}

    default Response handle(Request slice, Shard shard) {
        return new Response(keep(shard, slice.notes()), keep(shard.other(slice.other()), slice.ofOther()));
    }

    private static List<Before> keep(Shard shard, List<Note> notes) {
        Map<Long, String> texts = shard.attachment(Texts.class, Texts::new).texts;
        return notes.stream()
                .map(note -> {
                    int row = shard.row(note.row()); // throws for a key that is not this shard's
                    String before = texts.put(shard.key(row), note.text());
                    return new Before(before == null ? "" : before, shard.slice());
                })
                .toList();
    }

    /** By row. */
    final class Texts {
        private final Map<Long, String> texts = new HashMap<>();
    }
}
