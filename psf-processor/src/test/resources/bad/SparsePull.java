package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.sparse.pull")
public interface SparsePull {
  record Request(TensorId tensor, LongArray ids, @ByKey LongArray rows) {}

  record Response(
      @Along("row") FloatArray values, // ERROR [PsfAlongUnknown]
      @Along(
          "ids") // ERROR [PsfAlongNotKeys]
      FloatArray others,
      @Along("ids") FloatArray again,
      @Along("rows") FloatArray right) {}

  Response handle(Request slice, Shard shard);
}
