package good;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import java.util.List;

/** Keys of two tables in one call, and elements that hold a key each. */
@PsFunction("good.factors")
public interface Factors {
    record Click(long item, int times, long at) {}

    record Seen(long item, float score) {}

    record Request(
            TensorId users,
            @ByKey(of = "users") LongArray user,
            @Along("user") FloatArray ofUsers,
            @ByKey(of = "items", combine = SUM) LongArray item,
            @Along("item") FloatArray ofItems,
            TensorId items,
            @ByKey(value = "item", of = "items", everySlice = true) List<Click> clicks,
            @Since(2) @ByKey("at") List<Click> later,
            @Since(2) @ByKey(of = "items") LongArray more) {}

    record Response(
            @Along("user") FloatArray userRows,
            @Along("item") FloatArray itemRows,
            @Along("clicks") List<Seen> seen,
            @Since(2) @Along("item") List<Seen> again) {}

    Response handle(Request slice, Shard users);
}
