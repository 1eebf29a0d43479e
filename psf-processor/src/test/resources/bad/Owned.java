package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** A key whose owner answers alone, with what has no place beside it. */
@PsFunction(value = "bad.owned", at = Place.SERVER)
public interface Owned {
  record Request(
      @ByKey(combine = Reduction.SUM) long key, // ERROR [PsfOwner]
      @ByKey long another, // ERROR [PsfOwner]
      @ByKey LongArray keys, // ERROR [PsfLayoutPlace]
      @Since(2) @ByKey long later) {} // ERROR [PsfOwner]

  record Response(int fine, @Reduce(Reduction.SUM) int sum) {} // ERROR [PsfLayoutPlace]

  Response handle(Request request, Node server);

  static Response merge(List<Response> slices) { // ERROR [PsfMergePlace]
    return slices.get(0);
  }

  @PsFunction("bad.owned.on.shards")
  interface OnShards {
    record Request(TensorId tensor, @ByKey long key) {} // ERROR [PsfLayoutType]

    record Response(int sum) {} // ERROR [PsfResponseLayout]

    Response handle(Request request, Shard shard);
  }
}
