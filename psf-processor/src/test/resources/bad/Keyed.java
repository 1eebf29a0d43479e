package bad;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys of tensors that are not there, and lists that are not grouped. */
@PsFunction("bad.keyed")
public interface Keyed {
    record Item(long id, int other, float x) {}

    record Keyless(int id) {}

    record Request(
            TensorId users,
            TensorId items,
            @Nullable TensorId perhaps,
            @ByKey(of = "item") LongArray misspelt, // ERROR [PsfKeysOf]
            @ByKey(of = "perhaps") LongArray ofPerhaps, // ERROR [PsfKeysOf]
            @ByKey(of = "misspelt") LongArray ofKeys, // ERROR [PsfKeysOf]
            @ByKey("id") LongArray named, // ERROR [PsfElementKey]
            @ByKey List<Item> unnamed, // ERROR [PsfElementKey]
            @ByKey("other") List<Item> notLong, // ERROR [PsfElementKey]
            @ByKey("id") List<Keyless> keyless, // ERROR [PsfElementKey]
            @ByKey(value = "id", combine = Reduction.LAST) List<Item> folded, // ERROR [PsfListByKey]
            @ByKey("id") @Nullable List<Item> nullable, // ERROR [PsfNullable]
            @ByKey("id") List<Item> list,
            @Along("list") FloatArray rows,
            @Along("list") List<Item> items2) {} // ERROR [PsfLayoutType]

    record Response(
            @ByKey(of = "items") LongArray produced, // ERROR [PsfKeysInResponse]
            @ByKey("id") LongArray named, // ERROR [PsfKeysInResponse]
            @ByKey LongArray keys,
            @ByKey("id") List<Item> byKey, // ERROR [PsfLayoutType] ERROR [PsfKeysInResponse]
            @Along("keys") List<Item> ofServers, // ERROR [PsfListByKey]
            @Along(value = "list", width = 2) List<Item> wide, // ERROR [PsfListByKey]
            @Along("lists") List<Item> unknown, // ERROR [PsfAlongUnknown]
            @Along("list") List<Item> fine) {}

    Response handle(Request slice, Shard shard);
}
