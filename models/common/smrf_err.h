/* SPDX-License-Identifier: Apache-2.0 */
/* Negative results of every smrf function that can fail. Zero and above mean success. */
#ifndef SMRF_ERR_H
#define SMRF_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_err {
    SMRF_OK = 0,
    SMRF_ERR_INVAL = -1,    /* an argument or a configuration value is out of its legal range */
    SMRF_ERR_NOMEM = -2,    /* memory could not be obtained */
    SMRF_ERR_IO = -3,       /* a file could not be opened, read or written */
    SMRF_ERR_FORMAT = -4,   /* input text or binary does not follow its format */
    SMRF_ERR_CORRUPT = -5,  /* input ends early or its checksum or a length in it is wrong */
    SMRF_ERR_UNKNOWN = -6,  /* a name (key, preset, mechanism, statistic, opcode) does not exist */
    SMRF_ERR_LIMIT = -7,    /* the input needs more than a fixed limit of the model allows */
    SMRF_ERR_CHECK = -8,    /* a check of the model failed: oracle, conservation law or watchdog */
    SMRF_ERR_STATE = -9,    /* the call is not allowed in the object's present state */
    SMRF_ERR_PROTOCOL = -10 /* a TLM peer broke the base protocol */
};

#ifdef __cplusplus
}
#endif

#endif
