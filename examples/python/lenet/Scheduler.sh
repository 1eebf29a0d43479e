#!/bin/bash
export MS_SERVER_NUM=${MS_SERVER_NUM:-1}
export MS_WORKER_NUM=${MS_WORKER_NUM:-1}
export MS_SCHED_HOST=${MS_SCHED_HOST:-127.0.0.1}
export MS_SCHED_PORT=${MS_SCHED_PORT:-4081}
export MS_ROLE=MS_SCHED
exec "${PSF:-$(dirname "$0")/../../../psf}" node
