/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver of the fake TPMI machine. */
#ifndef SCRIPTED_FAKE_TPMI_DRIVER_H
#define SCRIPTED_FAKE_TPMI_DRIVER_H

#include "fake_tpmi.h"

struct transport *fake_tpmi_driver_open(struct fake_tpmi *tpmi);

#endif
