package law;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import java.util.ArrayList;
import java.util.List;

/** Its own merge puts the slices together in their order. */
@PsFunction("law.concatenate")
public interface Concatenate {
  record Request(TensorId tensor, @ByRange FloatArray x) {}

  record Item(float x) {}

  record Response(List<Item> items, FloatArray slice) {}

  default Response handle(Request slice, Shard shard) {
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < slice.x().length(); i++) {
      items.add(new Item(slice.x().get(i)));
    }
    return new Response(items, slice.x());
  }

  static Response merge(List<Response> slices) {
    List<Item> items = new ArrayList<>();
    int n = 0;
    for (Response slice : slices) {
      items.addAll(slice.items());
      n += slice.slice().length();
    }
    FloatArray all = FloatArray.allocate(n);
    int at = 0;
    for (Response slice : slices) {
      all.copyFrom(at, slice.slice());
      at += slice.slice().length();
    }
    return new Response(items, all);
  }
}
